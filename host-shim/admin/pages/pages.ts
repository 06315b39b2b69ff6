// The host's own pages, in the order of their sections.
import type { AdminPage } from '../../extension-api';
import type { HostParts } from '../../load-host';
import { applicationPasswordsPage } from './application-passwords-page';
import { authorizePage } from './authorize-page';
import { connectionPage } from './connection-page';
import { extensionsPage } from './extensions-page';
import { profilePage } from './profile-page';
import { systemPage } from './system-page';
import { usersPage } from './users-page';

export const hostPages = (parts: HostParts): readonly AdminPage[] => [
  usersPage(parts),
  extensionsPage(parts),
  systemPage(parts),
  profilePage(parts),
  applicationPasswordsPage(parts),
  authorizePage(parts),
  connectionPage(),
];

import type { HostRequest, HostUser } from '../../../host-shim/extension-api';
import { refusal } from './refusal';

const mayImport = ({ capabilities }: HostUser): boolean => capabilities.includes('import');

const FORBIDDEN =
  'Only administrators can import data. An application password also needs the `import` level: qal passwords create USER --level import.';

export const importAccess = {
  checkedBy: 'host',
  permission: mayImport,
  rateLimit: 'per-user',
  refuse: ({ user }: HostRequest) =>
    user === null
      ? refusal(401, 'rest_not_logged_in', 'Log in with an application password that is allowed to import.')
      : refusal(403, 'import_forbidden', FORBIDDEN),
} as const;

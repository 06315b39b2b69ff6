// What an unrestricted application password lets a program do, in words that follow from the capabilities of its owner.
// Pages need a login, so what stands here is the programming interface alone.
import type { Capability, HostUser } from '../extension-api';

const WORDS: Readonly<Record<Capability, string>> = {
  read: 'read the figures of every site that you see, now and later',
  list_users: 'read the accounts of all people, with their e-mail addresses',
  edit_users: 'make, rename and revoke application passwords of other people, and so act as any of them',
  activate_plugins: 'switch extensions on and off',
  manage_sites: 'change sites and goals, where an extension lets programs do that',
  manage_options: 'change how this installation works, where an extension lets programs do that',
};
const OWN_PASSWORDS = 'make, rename and revoke application passwords of your own';

/** One phrase for each thing that the owner may do; the order is that of the owner's capabilities. */
export const describeCapabilities = ({ capabilities }: HostUser): readonly string[] => [
  ...capabilities.map((capability) => WORDS[capability]),
  OWN_PASSWORDS,
];

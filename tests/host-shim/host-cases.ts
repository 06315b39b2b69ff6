// All cases for the host's guarantees, grouped by topic.
import type { HostCase } from './host-case';
import { accountCases } from './host-cases/accounts';
import { addressCases } from './host-cases/addresses';
import { availabilityCases } from './host-cases/availability';
import { bodyCases } from './host-cases/bodies';
import { credentialCases } from './host-cases/credentials';
import { discoveryCases } from './host-cases/discovery';
import { loginCases } from './host-cases/logins';
import { pageCases } from './host-cases/pages';
import { parameterCases } from './host-cases/parameters';
import { passwordRefusalCases } from './host-cases/password-refusals';
import { passwordCases } from './host-cases/passwords';
import { pluginCases } from './host-cases/plugins';
import { routingCases } from './host-cases/routing';
import { sessionCases } from './host-cases/sessions';
import { shapeCases } from './host-cases/shapes';

export const hostCases: readonly HostCase[] = [
  ...credentialCases,
  ...loginCases,
  ...addressCases,
  ...discoveryCases,
  ...routingCases,
  ...bodyCases,
  ...parameterCases,
  ...availabilityCases,
  ...accountCases,
  ...passwordRefusalCases,
  ...passwordCases,
  ...sessionCases,
  ...pluginCases,
  ...shapeCases,
  ...pageCases,
];

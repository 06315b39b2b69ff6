// /wp-admin/profile/second-factor: turns the user's second factor on and off, and replaces its recovery codes.
import { randomBytes } from 'node:crypto';
import { generate } from 'lean-qr';
import { toSvgDataURL } from 'lean-qr/extras/svg';
import type { AccountTools } from '../../accounts/account-tools';
import {
  createCodeCheck,
  factorAddress,
  findSecondFactor,
  generateFactorSecret,
  isFactorSecret,
  removeSecondFactor,
  replaceRecoveryCodes,
  setSecondFactor,
} from '../../auth/second-factor';
import { type AdminAnswer, type AdminRequest, type Log, PageError, pageAddress } from '../../extension-api';
import { endOtherSessions } from '../../sessions/session-store';
import type { createOwnPasswordCheck } from './own-password';

export const SECOND_FACTOR_ADDRESS = pageAddress('profile', 'second-factor');
const TITLE = 'Second factor';
const HAS_ONE = 'Your account already has a second factor. Turn it off first.';
const WRONG_CODE = 'That code is wrong, was already used, or is too old.';

type Faults = Readonly<Partial<Record<'code' | 'password', string>>>;

interface FactorPageOptions extends Pick<AccountTools, 'clock' | 'write'> {
  readonly log: Log;
  readonly checkOwnPassword: ReturnType<typeof createOwnPasswordCheck>;
}

export function createSecondFactorPage(options: FactorPageOptions) {
  const { clock, write, log, checkOwnPassword } = options;
  const checkCode = createCodeCheck({ write, clock });

  async function show(
    { user, session, home }: AdminRequest,
    { faults = {}, secret }: { readonly faults?: Faults; readonly secret?: string } = {},
  ): Promise<AdminAnswer> {
    const factor = await findSecondFactor(write, user.id);
    const proposed = secret ?? generateFactorSecret(randomBytes);
    const address = factorAddress(proposed, new URL(home).host, user.login);
    return {
      kind: 'page',
      status: Object.keys(faults).length > 0 ? 400 : 200,
      title: TITLE,
      view: 'host-shim/admin/views/second-factor',
      data: {
        address: SECOND_FACTOR_ADDRESS,
        login: user.login,
        factor,
        faults,
        isRequired: session.secondFactor !== 'optional',
        secret: proposed,
        shownSecret: (proposed.match(/.{4}/g) ?? []).join(' '),
        picture: toSvgDataURL(generate(address), { on: 'black', off: 'white', scale: 5 }),
      },
    };
  }

  const showCodes = (codes: readonly string[], title: string): AdminAnswer => ({
    kind: 'page',
    title,
    view: 'host-shim/admin/views/recovery-codes',
    data: { codes },
  });

  async function setUp(request: AdminRequest): Promise<AdminAnswer> {
    const { form, user, session } = request;
    const secret = form.get('secret') ?? '';
    if (!isFactorSecret(secret))
      throw new PageError(400, 'The form has no key for the app; reload the page and try again.');
    if ((await findSecondFactor(write, user.id)) !== undefined) throw new PageError(409, HAS_ONE);
    const password = await checkOwnPassword(user, form.get('password') ?? '');
    if (password !== undefined) return show(request, { faults: { password }, secret });
    const typed = form.get('code') ?? '';
    const codes = await write.transaction(async (trx) => {
      const set = await setSecondFactor(trx, { userId: user.id, secret, typed }, { clock, randomBytes });
      if (typeof set !== 'string') await endOtherSessions(trx, user.id, session.key);
      return set;
    });
    if (codes === 'has-one') throw new PageError(409, HAS_ONE);
    if (codes === 'wrong-code')
      return show(request, {
        faults: { code: 'That code does not match this key. Check your device’s clock.' },
        secret,
      });
    log.warn({ login: user.login }, 'A second factor was set up.');
    return showCodes(codes, 'Your second factor is on');
  }

  /** Access to an unattended browser must not be enough to change the second factor. */
  async function findFaults({ form, user }: AdminRequest): Promise<Faults> {
    const password = await checkOwnPassword(user, form.get('password') ?? '');
    if (password !== undefined) return { password };
    const checked = await checkCode(user.id, form.get('code') ?? '');
    if (checked.kind === 'too-many')
      return { code: `Too many wrong codes; try again in ${checked.retryAfterSeconds} s.` };
    return checked.kind === 'wrong' ? { code: WRONG_CODE } : {};
  }

  async function change(request: AdminRequest, action: 'renew' | 'turn-off'): Promise<AdminAnswer> {
    const { user, session } = request;
    const faults = await findFaults(request);
    if (Object.keys(faults).length > 0) return show(request, { faults });
    if (action === 'renew') {
      const codes = await write.transaction((trx) => replaceRecoveryCodes(trx, user.id, randomBytes));
      log.warn({ login: user.login }, 'New recovery codes were generated.');
      return showCodes(codes, 'Your new recovery codes');
    }
    await removeSecondFactor(write, user.id);
    log.warn({ login: user.login }, 'A second factor was turned off.');
    const to = session.secondFactor === 'required' ? SECOND_FACTOR_ADDRESS : pageAddress('profile');
    return { kind: 'redirect', to, notice: 'Your second factor is off.' };
  }

  return async (request: AdminRequest): Promise<AdminAnswer> => {
    if (request.method === 'GET') return show(request);
    const action = request.form.get('action');
    if (action === 'set-up') return setUp(request);
    if (action === 'renew' || action === 'turn-off') return change(request, action);
    throw new PageError(400, 'The form has no valid action; reload the page and try again.');
  };
}

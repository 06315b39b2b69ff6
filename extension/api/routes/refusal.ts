import type { Refusal } from '../../../host-shim/extension-api';

/** A response that refuses a request, in the host's format. */
export const refusal = (status: number, code: string, message: string, data: object = {}): Refusal => ({
  status,
  body: { code, message, data: { status, ...data } },
});

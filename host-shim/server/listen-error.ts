/** The server cannot listen on this port; the message suggests a fix. */
class ListenFailed extends Error {
  override readonly name = 'ListenFailed';
}

interface Listening {
  readonly host: string;
  readonly port: number;
  readonly setting: 'PORT' | 'HEALTH_PORT';
}

const ADVICE: Readonly<Record<string, (setting: string) => string>> = {
  EADDRINUSE: (setting) => `is in use: stop the other program, or choose another port with ${setting}`,
  EACCES: (setting) => `may not be used by this account: choose a ${setting} above 1023`,
  EADDRNOTAVAIL: () => 'is not an address of this machine: set HOST to one of its addresses',
  ENOTFOUND: () => 'cannot be resolved: set HOST to an address of this machine',
};

export function explainListenError(
  error: Pick<NodeJS.ErrnoException, 'code' | 'message'>,
  { host, port, setting }: Listening,
): Error {
  const advice = ADVICE[error.code ?? ''];
  if (advice === undefined) return error instanceof Error ? error : new Error(error.message);
  return new ListenFailed(`${host} port ${port} ${advice(setting)}.`, { cause: error });
}

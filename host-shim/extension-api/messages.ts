/** An e-mail address without a display name, group (`name:address`) or comment. */
export const MAIL_ADDRESS = /^[^\s@,:;()<>[\]\\"]{1,64}@[^\s@,:;()<>[\]\\"]{1,255}$/;

export interface Mail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** The template of the HTML version: its path from the package root, without its extension, and the value of `it`. */
  readonly html?: { readonly view: string; readonly data: object };
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends messages, if the settings allow it. Both functions throw if the message is not accepted, and finish within a minute. */
export interface Messages {
  /** undefined without a mail server. */
  readonly sendMail?: ((mail: Mail) => Promise<void>) | undefined;
  /** Sends signed JSON. Refuses private addresses, unless a setting allows them. undefined without a signing key. */
  readonly postWebhook?: ((url: string, message: object) => Promise<void>) | undefined;
}

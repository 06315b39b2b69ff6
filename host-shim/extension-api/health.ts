/** Shown on the Health page, by `qal health` and in `/healthz?details=1`. */
export interface HealthCheck {
  /** A heading in sentence case: `Column store`. */
  readonly title: string;
  /** If true, no query can be answered while this check fails, and `/readyz` returns 503. */
  readonly isVital?: boolean;
  /** Whether the result concerns only this server, rather than something that all servers share. */
  readonly isOfServer?: boolean;
  /** Runs the check, which times out after two seconds. */
  look(): Promise<Finding>;
}

export type Finding = Fine | Problem;

export interface Fine {
  readonly state: 'fine';
  /** A few words that anyone may see: no addresses, and no names of sites, people or files. */
  readonly brief: string;
  /** Not a problem, but worth checking. */
  readonly isAmber?: true;
  /** For administrators: where the details are. */
  readonly page?: { readonly address: string; readonly title: string };
}

export interface Problem {
  /** `warning`: the situation will get worse, or something is missing. `failing`: something does not work. */
  readonly state: 'warning' | 'failing';
  /** As with Fine's `brief`, anyone may see it. */
  readonly brief: string;
  /** A description of the problem in full sentences, for administrators. */
  readonly about: string;
  readonly remedy: Remedy;
}

export interface Remedy {
  readonly text: string;
  readonly page?: { readonly address: string; readonly title: string };
  /** The command that fixes the problem: `qal columns rebuild`. */
  readonly command?: string;
}

// Health: what can be wrong with an installation while it runs.

/** Something to look after, shown on the page Health, by `qal health` and in `/healthz?details=1`. */
export interface HealthCheck {
  /** As a title: `Column copy`. */
  readonly title: string;
  /** Whether nothing can be answered while it fails: `/readyz` refuses then. */
  readonly isVital?: boolean;
  /** Looks now. It is given up after two seconds. */
  look(): Promise<Finding>;
}

export type Finding = Fine | Problem;

export interface Fine {
  readonly state: 'fine';
  /** A few words that anybody may read: they name no site, person, file or address. */
  readonly brief: string;
}

export interface Problem {
  /** `warning`: it will get worse, or something is missing. `failing`: it does not work. */
  readonly state: 'warning' | 'failing';
  /** As of a Fine. */
  readonly brief: string;
  /** What is wrong, in sentences for administrators. */
  readonly about: string;
  readonly remedy: Remedy;
}

/** What to do. */
export interface Remedy {
  /** In sentences. */
  readonly text: string;
  /** The page where it is done: a path, and the words of the link. */
  readonly page?: { readonly address: string; readonly title: string };
  /** The command that does it: `qal columns rebuild`. */
  readonly command?: string;
}

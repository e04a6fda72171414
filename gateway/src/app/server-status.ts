/** What a running server says of itself to an operator. */
export interface ServerStatus {
  readonly state: 'running';
  readonly version: string;
  readonly demo: boolean;
  readonly baseUrl: string;
  /** Where browsers find the console. */
  readonly consoleUrl: string;
  readonly metricsUrl: string | null;
  readonly engine: string;
  /** Where per-minute limits are counted, without its password; null when there is none. */
  readonly redis: string | null;
  readonly dataFolder: string;
  readonly configFile: string;
  readonly providers: ReadonlyArray<{ name: string; simulated: boolean }>;
  readonly models: readonly string[];
  /** The process to send signals to: that of the supervisor, if there is one. */
  readonly pid: number;
}

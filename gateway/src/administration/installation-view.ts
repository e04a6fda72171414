/** What operations ask the running server about itself. */

export interface InstallationView {
  /** The codes of the models of a space. */
  models(spaceName: string): Promise<readonly string[]>;
}

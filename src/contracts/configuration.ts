import type { Settings } from '../domain/settings/settings.ts'

/** The place that a value comes from: `file` with its line, `branch` for a value that counts as committed there. */
export type SettingSource = 'default' | 'file' | 'found' | 'branch'

export interface SettingNow {
  readonly key: string
  /** The value as the file has it, on one line. */
  readonly value: string
  readonly source: SettingSource
  /** The line in the file, from 1; null without one. */
  readonly line: number | null
  /** The value in the file, where another one counts. */
  readonly inFile?: string
}

export interface ConfigurationNow {
  readonly path: string
  /** The whole text of the file; '' without one. */
  readonly text: string
  /** The branch whose committed file decides about verification and approval. */
  readonly target: string
  readonly settings: readonly SettingNow[]
}

/** A new value as it is written in the file; null removes the key, so that its default applies. */
export interface SettingChange {
  readonly key: string
  readonly value: string | null
}

/** The result of changes that are not saved yet. */
export interface ConfigurationDraft {
  readonly text: string
  readonly settings: Settings
}

/** Access of a person's console to the configuration file. Every function refuses with a sentence. */
export interface Configurations {
  read(): Promise<ConfigurationNow>
  /** The file with the changes, as it would be saved. */
  draft(text: string, changes: readonly SettingChange[]): Promise<ConfigurationDraft>
  /** Saves the changes if the file still has the text `before`. */
  save(before: string, changes: readonly SettingChange[]): Promise<void>
}

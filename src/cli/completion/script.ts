import type { Command } from '../call/command.ts'
import { nouns } from '../call/nouns.ts'
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { type Level, levelsOf } from './levels.ts'
import { zshScript } from './zsh.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** A script for the shell that completes commands, options and the values of options with choices. */
export const completionScript = (shell: Shell, commands: readonly Command[]): string =>
  writers[shell](levelsOf(commands, nouns))

const writers: Record<Shell, (levels: readonly Level[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

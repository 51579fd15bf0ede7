import { shellWord } from '../words/shell-words.ts'

const programs = {
  shell: () => 'exec "${SHELL:-/bin/sh}" -l',
  editor: () => 'exec ${VISUAL:-${EDITOR:-vi}} .',
  /** By the program that agents find there, since the PATH of a shell without a login may not have it. */
  takeOver: (agentId: string) => `exec .aiswarm/bin/aiswarm agent take-over ${shellWord(agentId)}`,
} as const

/** The command line that opens a folder of another host: in a shell there, or in the editor that is set there. */
export const sshTo = (address: string, folder: string, program: 'shell' | 'editor'): readonly string[] =>
  inFolder(address, folder, programs[program]())

/** The command line that takes over the conversation of an agent in its clone on another host. */
export const sshToAgent = (address: string, root: string, agentId: string): readonly string[] =>
  inFolder(address, root, programs.takeOver(agentId))

const inFolder = (address: string, folder: string, line: string): readonly string[] => [
  ...['ssh', '-t', address, `cd ${shellWord(folder)} && ${line}`],
]

import { shellWord } from '../words/shell-words.ts'

const programs = { shell: 'exec "${SHELL:-/bin/sh}" -l', editor: 'exec ${VISUAL:-${EDITOR:-vi}} .' } as const

/** The command line that opens a folder of another host: in a shell there, or in the editor that is set there. */
export const sshTo = (address: string, folder: string, program: keyof typeof programs): readonly string[] => [
  ...['ssh', '-t', address, `cd ${shellWord(folder)} && ${programs[program]}`],
]

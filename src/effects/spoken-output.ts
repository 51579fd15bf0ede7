import type { AgentKind } from '../agents/kind.ts'
import { spoken } from '../agents/spoken.ts'
import { maskSecrets } from '../domain/secrets.ts'
import type { OutputPiece } from '../operations/kernel/outside.ts'
import { type From, readLines, readOutput } from './output.ts'

/**
 * A piece of an agent's output as people read it: what a CLI with structured output said, a line each; of others the text.
 * Where the last line is still being written, the next piece begins with it.
 */
export const readSpoken = async (path: string, from: From, kind: AgentKind | undefined, secrets: readonly string[] = []): Promise<OutputPiece> => {
  if (!kind?.read) {
    const { text, next, size } = await readOutput(path, from)
    return { text: maskSecrets(text, secrets), next, size }
  }
  const { lines, next, size } = await readLines(path, from)
  const said = lines.filter(Boolean).flatMap((line) => wordsOf(line, kind.read!))
  return { text: said.map((line) => `${maskSecrets(line, secrets)}\n`).join(''), next, size }
}

/** What a line says; a line that is no message of the CLI is shown as it is: warnings of node, a crash. */
const wordsOf = (line: string, read: NonNullable<AgentKind['read']>): readonly string[] =>
  line.startsWith('{') || line.startsWith('[') ? read(line).flatMap((reading) => spoken(reading) ?? []) : [line]

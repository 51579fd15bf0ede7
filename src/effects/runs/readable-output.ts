import type { AgentKind } from '../../agents/kind/kind.ts'
import { readableLine } from '../../agents/reading/reading.ts'
import { maskSecrets } from '../../domain/words/secrets.ts'
import type { OutputPiece } from '../../contracts/observations.ts'
import { type From, readLines, readOutput } from '../processes/output.ts'

/**
 * A piece of an agent's output for people: the messages of a CLI with structured output, one per line; of others the
 * text. An incomplete last line is left for the next piece.
 */
export const readReadableOutput = async (
  path: string,
  from: From,
  kind: AgentKind | undefined,
  secrets: readonly string[] = [],
): Promise<OutputPiece> => {
  if (!kind?.read) {
    const { text, next, size } = await readOutput(path, from)
    return { text: maskSecrets(text, secrets), next, size }
  }
  const { lines, next, size } = await readLines(path, from)
  const said = lines.filter(Boolean).flatMap((line) => wordsOf(line, kind.read!))
  return { text: said.map((line) => `${maskSecrets(line, secrets)}\n`).join(''), next, size }
}

/** The text of a line; a line that is not a message of the CLI is shown as it is: warnings of node, a crash. */
const wordsOf = (line: string, read: NonNullable<AgentKind['read']>): readonly string[] =>
  line.startsWith('{') || line.startsWith('[') ? read(line).flatMap((reading) => readableLine(reading) ?? []) : [line]

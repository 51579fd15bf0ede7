import type { AgentKind } from '../agents/kind.ts'
import { spoken } from '../agents/spoken.ts'
import { maskSecrets } from '../domain/secrets.ts'
import type { OutputPiece } from '../operations/kernel/outside.ts'
import { readOutput } from './output.ts'

/**
 * A piece of an agent's output as people read it: what a CLI with structured output said, a line each; of others the text.
 * Where the last line is still being written, the next piece begins with it.
 */
export const readSpoken = async (path: string, from: { readonly offset: number } | { readonly tail: number }, kind: AgentKind | undefined): Promise<OutputPiece> => {
  const piece = await readOutput(path, from)
  if (!kind?.read) return { ...piece, text: maskSecrets(piece.text) }
  // A tail begins in the middle of a line.
  const first = 'tail' in from && piece.next > Buffer.byteLength(piece.text) ? piece.text.indexOf('\n') + 1 : 0
  const whole = piece.text.lastIndexOf('\n') + 1
  // Nothing but the middle of a very long line: it is passed over.
  const taken = whole === 0 && piece.next < piece.size ? piece.text.length : whole
  const lines = piece.text.slice(first, taken).split('\n').filter(Boolean)
  const said = lines.flatMap((line) => wordsOf(line, kind.read!))
  return { text: said.map((line) => `${maskSecrets(line)}\n`).join(''), next: piece.next - Buffer.byteLength(piece.text.slice(taken)), size: piece.size }
}

/** What a line says; a line that is no message of the CLI is shown as it is: warnings of node, a crash. */
const wordsOf = (line: string, read: NonNullable<AgentKind['read']>): readonly string[] =>
  line.startsWith('{') || line.startsWith('[') ? read(line).flatMap((reading) => spoken(reading) ?? []) : [line]

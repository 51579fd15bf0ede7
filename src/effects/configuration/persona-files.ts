import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { parse } from 'yaml'
import { checkId } from '../../domain/rules/names.ts'
import { isRefusal } from '../../domain/rules/refusal.ts'
import type { PersonaFile } from '../../operations/agents/persona-files.ts'

/**
 * Parses personas from files `<id>.md`, given as path and text: the text is the definition, and an optional YAML head
 * has `name` and `role`. A file that is not a valid persona is skipped with a sentence to `warn`.
 */
export const personasOf = (
  files: readonly (readonly [path: string, source: string])[],
  warn: (sentence: string) => void,
): readonly PersonaFile[] =>
  files.flatMap(([path, source]) => {
    try {
      return [readPersona(source, basename(path, '.md'))]
    } catch (error) {
      warn(`${path}: ${isRefusal(error) || error instanceof Error ? error.message : String(error)}`)
      return []
    }
  })

const readPersona = (source: string, id: string): PersonaFile => {
  checkId('persona', id)
  const [, head, body] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(source) ?? [undefined, '', source]
  const { name, role } = ((head === '' ? {} : parse(head)) ?? {}) as { name?: unknown; role?: unknown }
  if (role !== undefined && role !== 'planner' && role !== 'worker')
    throw new Error(`role must be planner or worker, not ${JSON.stringify(role)}`)
  const definition = body.trim()
  if (definition === '') throw new Error('the definition is empty')
  return {
    id,
    name: typeof name === 'string' && name.trim() !== '' ? name.trim() : id.charAt(0).toUpperCase() + id.slice(1),
    role: role ?? (id === 'planner' ? 'planner' : 'worker'),
    definition,
    hash: createHash('sha256').update(source).digest('hex'),
  }
}

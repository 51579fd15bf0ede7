import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { checkId } from '../domain/names.ts'
import { isRefusal } from '../domain/refusal.ts'
import type { PersonaFile } from '../operations/sync-personas.ts'

/**
 * The personas in a folder: `<id>.md`, its text the definition, an optional YAML head with `name` and `role`.
 * A file that is none gets a sentence in `warn` and is passed over.
 */
export const readPersonaFiles = (folder: string, warn: (sentence: string) => void): readonly PersonaFile[] => {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .sort()
    .flatMap((file) => {
      try {
        return [readPersona(join(folder, file), file.slice(0, -3))]
      } catch (error) {
        warn(`${join(folder, file)}: ${isRefusal(error) || error instanceof Error ? error.message : String(error)}`)
        return []
      }
    })
}

const readPersona = (path: string, id: string): PersonaFile => {
  checkId('persona', id)
  const source = readFileSync(path, 'utf8')
  const [, head, body] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(source) ?? [undefined, '', source]
  const { name, role } = ((head === '' ? {} : parse(head)) ?? {}) as { name?: unknown; role?: unknown }
  if (role !== undefined && role !== 'planner' && role !== 'worker') throw new Error(`role must be planner or worker, not ${JSON.stringify(role)}`)
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

import { parse } from 'yaml'
import type { z } from 'zod'
import { Refusal } from '../../../domain/rules/refusal.ts'
import type { setPersona } from '../../../operations/agents/set-persona.ts'
import { readText } from '../../call/read-text.ts'
import type { Streams } from '../../call/services.ts'

export type PersonaContents = Omit<z.input<typeof setPersona.input>, 'id'>

/** A persona's definition; YAML between two `---` lines at its beginning may set `name` and `role`. */
export const readPersonaFile = async (file: string, streams: Streams): Promise<PersonaContents> => {
  const text = await readText(file, streams)
  const match = /^\ufeff?---\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m.exec(text)
  if (!match || match.index !== 0) return { definition: text }
  const front = frontMatter(match[1]!, file)
  const unknown = Object.keys(front).find((key) => key !== 'name' && key !== 'role')
  if (unknown !== undefined)
    throw new Refusal(
      'invalid_input',
      `${file}: the front matter has the unknown key '${unknown}'; name and role were expected.`,
    )
  // The operation checks the values.
  return { ...front, definition: text.slice(match[0].length) }
}

const frontMatter = (yaml: string, file: string): Record<string, unknown> => {
  let value: unknown
  try {
    value = parse(yaml)
  } catch (error) {
    throw new Refusal(
      'invalid_input',
      `${file}: the front matter is not YAML (${(error as Error).message.split('\n')[0]}).`,
      { cause: error },
    )
  }
  if (value === null) return {}
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>
  throw new Refusal('invalid_input', `${file}: the front matter must be keys with values, such as 'name: Translator'.`)
}

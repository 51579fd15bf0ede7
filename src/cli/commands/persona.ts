import { parse } from 'yaml'
import type { z } from 'zod'
import { Refusal } from '../../domain/rules/refusal.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import { getPersona, listPersonas, setPersona } from '../../operations/agents/personas.ts'
import { act } from '../../operations/perform/perform.ts'
import { type Command, does, open, performs } from '../call/command.ts'
import { readText, type Streams } from '../call/streams.ts'
import { text } from '../call/values.ts'
import { argument, naming, needed } from '../call/words.ts'
import { columns, pairs, paragraph } from '../print/columns.ts'

const id = naming('personas', argument('ID', 'Id of the persona', text))

export const personaCommands: readonly Command[] = [
  performs({
    path: 'persona list',
    words: {},
    operation: listPersonas,
    input: () => ({}),
    text: (personas) =>
      columns(
        ['PERSONA', 'NAME', 'ROLE', 'FROM'],
        personas.map((persona) => [persona.id, persona.name, persona.role, persona.source]),
      ),
    example: 'persona list',
  }),
  performs({
    path: 'persona show',
    words: { id },
    operation: getPersona,
    input: (words) => ({ personaId: words.id }),
    text: (persona) =>
      `${pairs([
        ['persona', persona.id],
        ['name', persona.name],
        ['role', persona.role],
        ['from', persona.source],
      ])}\n\n${paragraph(persona.definition)}`,
    example: 'persona show implementer',
  }),
  does({
    path: 'persona set',
    summary: setPersona.summary,
    words: {
      id,
      file: needed(
        '--file',
        'F',
        "Markdown, '-' for standard input; may begin with YAML front matter (name, role)",
        text,
      ),
    },
    run: async ({ id, file }, call) => {
      const contents = await readPersonaFile(file, call.streams)
      const persona = await act(await open(call), setPersona, { id, ...contents })
      return { json: persona, text: safeText(`Persona ${persona.id} (${persona.name}) is set.`) }
    },
    example: 'persona set translator --file translator.md',
  }),
]

type PersonaContents = Omit<z.input<typeof setPersona.input>, 'id'>

/** A persona's definition; YAML between two `---` lines at its beginning may set `name` and `role`. */
const readPersonaFile = async (file: string, streams: Streams): Promise<PersonaContents> => {
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

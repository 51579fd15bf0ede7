import { safeText } from '../../domain/words/safe-text.ts'
import { getPersona } from '../../operations/agents/get-persona.ts'
import { act } from '../../operations/door/perform.ts'
import { listPersonas } from '../../operations/agents/list-personas.ts'
import { setPersona } from '../../operations/agents/set-persona.ts'
import { type Command, does, open, performs } from '../call/command.ts'
import { readPersonaFile } from '../verbs/agents/persona-file.ts'
import { columns, pairs, paragraph } from '../print/columns.ts'
import { text } from '../call/values.ts'
import { argument, naming, needed } from '../call/words.ts'

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

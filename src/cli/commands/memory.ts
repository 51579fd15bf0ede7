import { readMemoryConfig } from '../../memory/session-files/memory-config.ts'
import { SessionFileStore } from '../../memory/session-files/store.ts'
import { type Actor, checkActsAs } from '../../domain/agent/actor.ts'
import { type Call, type Command, does, open } from '../call/command.ts'
import { columns } from '../print/columns.ts'
import { text } from '../call/values.ts'
import { argument, contentOf, needed, option } from '../call/words.ts'

const name = argument('NAME', 'Name of the file, such as progress-backend.md', text)
const agent = option('--agent', 'A', 'Agent that owns the file', text)

/** The session's files (seed 000), with the rules of the memory tools: everyone reads, only the owner writes. */
export const memoryCommands: readonly Command[] = [
  does({
    path: 'memory list',
    summary: "List the session's files with their owners",
    words: {},
    run: async (_, call) => {
      const files = (await storeOf(call)).store.list()
      return {
        json: files,
        text:
          files.length === 0
            ? 'There are no session files yet.'
            : columns(
                ['NAME', 'OWNER'],
                files.map((file) => [file.name, file.owner]),
                [],
              ),
      }
    },
    example: 'memory list',
  }),
  does({
    path: 'memory read',
    summary: "Print one of the session's files",
    words: { name },
    run: async ({ name }, call) => {
      const content = (await storeOf(call)).store.read(name)
      return { json: { name, content }, text: content }
    },
    example: 'memory read task-board.md',
  }),
  does({
    path: 'memory write',
    summary: "Write the whole content of an agent's own file, from a file or standard input",
    words: { name, content: contentOf(argument('FILE', "Its new content, '-' for standard input", text)), agent },
    run: async ({ name, content, agent }, call) => {
      const { store, writer } = await storeOf(call, agent)
      store.write(name, content, writer)
      return { json: { name }, text: `${name} is written.` }
    },
    example: 'memory write progress-backend.md - --agent backend',
  }),
  does({
    path: 'memory edit',
    summary: "Replace one passage in an agent's own file",
    words: {
      name,
      old: needed('--old', 'TEXT', 'Text to replace', text),
      new: needed('--new', 'TEXT', 'New text', text),
      agent,
    },
    run: async (words, call) => {
      const { store, writer } = await storeOf(call, words.agent)
      store.edit(words.name, words.old, words.new, writer)
      return { json: { name: words.name }, text: `${words.name} is changed.` }
    },
    example: "memory edit progress-backend.md --old 'in_progress' --new 'completed' --agent backend",
  }),
  does({
    path: 'memory delete',
    summary: "Delete an agent's own file",
    words: { name, agent },
    grave: true,
    run: async ({ name, agent }, call) => {
      const { store, writer } = await storeOf(call, agent)
      store.delete(name, writer)
      return { json: { name }, text: `${name} is deleted.` }
    },
    example: 'memory delete progress-backend.md --agent backend',
  }),
]

const storeOf = async (call: Call, agent?: string): Promise<{ store: SessionFileStore; writer: string | null }> => {
  const { core, actor } = await open(call)
  return { store: new SessionFileStore(core.root, readMemoryConfig(core.root)), writer: writerOf(actor, agent) }
}

/** An agent writes as itself, a person as the agent that they name. */
const writerOf = (actor: Actor, agent: string | undefined): string | null => {
  if (agent !== undefined) checkActsAs(actor, agent)
  return agent ?? (actor.kind === 'agent' ? actor.id : null)
}

import { z } from 'zod'
import { readMemoryConfig } from '../../memory/session-files/memory-config.ts'
import { SessionFileStore } from '../../memory/session-files/store.ts'
import { memoryRow, type MemoryTool } from './memory-tool.ts'
import type { ToolRow } from './tool.ts'

const name = z.string().describe('Name of the file, such as progress-backend.md')
const written = z.object({ name: z.string() })

/** Seed 000's memory tools, under their names in `mcp.json`. */
export const sessionFileTools = (root: string): readonly ToolRow[] => {
  // In one piece because it is a table: a row describes one tool.
  const config = readMemoryConfig(root)
  const store = new SessionFileStore(root, config)
  const { tools } = config
  return [
    row({
      name: tools.read,
      title: 'Read a memory',
      description: "Read one of the session's files: the task board, the session, progress and results of agents.",
      reads: true,
      input: z.strictObject({ name }),
      output: z.object({ name: z.string(), content: z.string() }),
      call: ({ name }) => ({ name, content: store.read(name) }),
    }),
    row({
      name: tools.write,
      title: 'Write a memory',
      description: 'Replace your own progress or result file. Files of others are refused.',
      reads: false,
      input: z.strictObject({ name, content: z.string() }),
      output: written,
      call: ({ name, content }, writer) => {
        store.write(name, content, writer)
        return { name }
      },
    }),
    row({
      name: tools.edit,
      title: 'Edit a memory',
      description: 'Edit your own progress or result file: replace the only occurrence of the old text.',
      reads: false,
      input: z.strictObject({ name, old: z.string(), new: z.string() }),
      output: written,
      call: ({ name, old, new: after }, writer) => {
        store.edit(name, old, after, writer)
        return { name }
      },
    }),
    row({
      name: tools.list,
      title: 'List memories',
      description: "List the session's files with their owners.",
      reads: true,
      input: z.strictObject({}),
      output: z.object({ memories: z.array(z.object({ name: z.string(), owner: z.string().nullable() })) }),
      call: () => ({ memories: store.list() }),
    }),
    row({
      name: tools.delete,
      title: 'Delete a memory',
      description: 'Delete your own progress or result file.',
      reads: false,
      input: z.strictObject({ name }),
      output: written,
      call: ({ name }, writer) => {
        store.delete(name, writer)
        return { name }
      },
    }),
  ]
}

const row = <I extends z.ZodType>({ call, ...tool }: Definition<I>): ToolRow =>
  memoryRow({ ...tool, idempotent: true, call: (input, { agentId }) => call(input, agentId) })

interface Definition<I extends z.ZodType> extends Omit<MemoryTool<I>, 'call' | 'idempotent'> {
  /** `writer` is the agent of the connection; null for any other caller. */
  readonly call: (input: z.output<I>, writer: string | null) => Readonly<Record<string, unknown>>
}

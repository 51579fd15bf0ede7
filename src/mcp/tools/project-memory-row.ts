import type { z } from 'zod'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { ProjectPlace } from '../../memory/project-memory/store.ts'
import type { Connection } from '../../operations/door/connection.ts'
import { memoryRow, type MemoryTool } from './memory-row.ts'
import type { ToolRow } from './tool.ts'

/** The dependencies of one call of a project-memory tool. */
interface Caller {
  readonly place: ProjectPlace
  readonly connection: Connection
  /** The agent of the connection; null for any other caller. */
  readonly reader: string | null
  /** As `reader`; refuses callers that are not agents. */
  readonly writer: () => string
}

interface Definition<I extends z.ZodType> extends Omit<MemoryTool<I>, 'call' | 'idempotent'> {
  readonly call: (input: z.output<I>, caller: Caller) => ReturnType<MemoryTool<I>['call']>
}

/** Creates rows of tools on the project memory of one repository. */
export const projectRow =
  (root: string, lock: ProjectPlace['lock']) =>
  <I extends z.ZodType>({ call, ...definition }: Definition<I>): ToolRow =>
    memoryRow({
      ...definition,
      call: (input, { connection, agentId }) => {
        const { core } = connection
        return call(input, {
          connection,
          place: { root, lock, clock: core.clock, owners: core.settings.memory.owners },
          reader: agentId,
          writer: () => {
            if (agentId === null)
              throw new Refusal(
                'not_owner',
                "Only agents write project memory over MCP, and you are not an agent. A person uses 'aiswarm memory'.",
              )
            return agentId
          },
        })
      },
    })

import { z } from 'zod'
import { knownClis, protocolOf } from '../../agents/kinds.ts'
import { SERVER_NAME } from '../../agents/kind/server-config.ts'
import { parseRule } from '../../domain/request/permission.ts'
import { approvals, networks, sandboxModes, toolsets } from '../../domain/settings/agent-settings.ts'
import { processLimits } from './values.ts'

// The part of the configuration about agents: personas and kinds.

/** The name of a kind of agent. */
export const kindName = z.string().min(1)

const rule = z
  .string()
  .refine((text) => parseRule(text) !== undefined, "a rule is 'edit', 'shell(npm test)' or 'tool(Name)'")

const toolset = z
  .string()
  .refine((name) => toolsets.some((one) => one === name), `a toolset is one of ${toolsets.join(', ')}`)

const mcpServer = z.union([
  z.strictObject({
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.coerce.string()).default({}),
  }),
  z.strictObject({ url: z.url(), headers: z.record(z.string(), z.coerce.string()).default({}) }),
])
/** Names that every CLI accepts: Gemini joins tool names with `_` and splits them again. */
const serverNames = z.record(
  z
    .string()
    .regex(/^[A-Za-z0-9-]{1,50}$/, 'a server name has only letters, digits and -')
    .refine((name) => name !== SERVER_NAME, `'${SERVER_NAME}' is aiswarm's own server`),
  mcpServer,
)
const personaMcp = z.union(
  [z.literal('only-aiswarm'), z.strictObject({ servers: serverNames })],
  'write only-aiswarm, or {servers: {NAME: {command, args, env}}} or {url, headers}',
)

/** The settings of one persona. */
export const personaSettings = z.object({
  kind: kindName.optional(),
  model: z.string().optional(),
  args: z.array(z.string()).default([]),
  approvals: z.enum(approvals).default('ask'),
  allow: z.array(rule).default([]),
  toolsets: z.array(toolset).optional(),
  mcp: personaMcp.optional(),
  writes: z.boolean().optional(),
  sandbox: z.enum(sandboxModes).optional(),
  network: z.enum(networks).optional(),
  limits: processLimits().optional(),
})

/** Limited in length, because a pattern is matched against every line at the end of an output. */
const pattern = z
  .string()
  .max(500)
  .refine((text) => isPattern(text), 'it is not a regular expression')

/** A kind of agent that the configuration defines. */
export const customKind = z.object({
  command: z.array(z.string()).default([]),
  prompt: z.enum(['argv', 'stdin', 'file']).default('argv'),
  files: z.boolean().default(false),
  protocol: z.enum(['stream-json', 'acp', 'app-server', 'headless']).optional(),
  terminal: z.array(z.string()).min(1, 'the command is empty').optional(),
  env: z.record(z.string(), z.coerce.string()).default({}),
  errors: z.object({ limited: z.array(pattern).default([]), unauthorized: z.array(pattern).default([]) }).optional(),
})

/** A kind without a command must be one of the known CLIs. */
export const refuseWithoutCommand = (
  kinds: Readonly<Record<string, { readonly command: readonly string[]; readonly protocol?: string | undefined }>>,
  context: z.RefinementCtx,
): void => {
  for (const [name, { command, protocol }] of Object.entries(kinds)) {
    const known = knownClis.find((kind) => kind.name === name)
    if (command.length === 0 && known && protocol && protocol !== 'headless' && protocolOf(name) !== protocol)
      context.addIssue({ code: 'custom', path: [name, 'protocol'], message: `${name} does not speak ${protocol}` })
    if (command.length > 0 && protocol === 'app-server')
      context.addIssue({ code: 'custom', path: [name, 'protocol'], message: 'only codex itself speaks app-server' })
    if (command.length === 0 && !knownClis.some((kind) => kind.name === name))
      context.addIssue({ code: 'custom', path: [name, 'command'], message: 'the command is empty' })
  }
}

const isPattern = (text: string): boolean => {
  try {
    return new RegExp(text, 'i') instanceof RegExp
  } catch {
    return false
  }
}

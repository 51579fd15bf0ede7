import type { Settings } from '../domain/settings.ts'
import { command } from './command.ts'
import { custom } from './custom.ts'
import type { AgentKind } from './kind.ts'

/** Every kind of agent that can be started here: the built-in ones and those of the configuration. */
export const agentKinds = (settings: Settings): ReadonlyMap<string, AgentKind> =>
  new Map([command, ...Object.entries(settings.agents.kinds).map(([name, kind]) => custom(name, kind))].map((kind) => [kind.name, kind]))

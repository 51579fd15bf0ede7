import type { Speech } from '../domain/agent/message.ts'
import type { Settings } from '../domain/settings/settings.ts'
import type { CustomKind } from '../domain/settings/agent-settings.ts'
import { claude, claudeHeadless } from './claude/claude.ts'
import { codex } from './codex/codex.ts'
import { command } from './command.ts'
import { copilot } from './copilot/copilot.ts'
import { custom } from './custom.ts'
import { gemini } from './gemini/gemini.ts'
import type { AgentKind, Launch } from './kind/kind.ts'
import { opencode } from './opencode/opencode.ts'
import { qwen } from './qwen.ts'

/** The known CLIs; the first installed one is the default. */
export const knownClis: readonly AgentKind[] = [claude, codex, gemini, qwen, opencode, copilot]

/** Every kind of agent: the built-in ones and those of the configuration, which take precedence by name. */
export const agentKinds = (settings: Settings): ReadonlyMap<string, AgentKind> =>
  new Map(
    [command, ...knownClis, ...Object.entries(settings.agents.kinds).map(([name, kind]) => configured(name, kind))].map(
      (kind) => [kind.name, kind],
    ),
  )

/** How an agent of a kind is reached while it works; one of an unknown kind registered itself. */
export const speechOf = (kind: AgentKind | undefined): Speech =>
  kind?.talk !== undefined ? 'inject' : kind?.exitDecides === true ? 'none' : 'tools'

/** A section without a command changes a known CLI. */
const configured = (name: string, settings: CustomKind): AgentKind => {
  const known = knownClis.find((kind) => kind.name === name)
  if (!known || settings.command.length > 0) return custom(name, settings)
  const spoken = settings.protocol === 'headless' ? (headless[name] ?? known) : known
  return { ...spoken, files: settings.files, launch: (brief) => withVariables(spoken.launch(brief), settings.env) }
}

/** The kinds that talk, as they run without a conversation. */
const headless: Readonly<Record<string, AgentKind>> = { claude: claudeHeadless }

const withVariables = (launch: Launch, env: Readonly<Record<string, string>>): Launch => ({
  ...launch,
  environment: { ...env, ...launch.environment },
})

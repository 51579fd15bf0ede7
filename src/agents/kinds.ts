import type { Speech } from '../domain/agent/messages.ts'
import type { Settings } from '../domain/settings/settings.ts'
import type { CustomKind } from '../domain/settings/agent-settings.ts'
import { claude, claudeHeadless } from './claude.ts'
import { codex, codexHeadless } from './codex.ts'
import { command } from './command.ts'
import { copilot, copilotHeadless } from './copilot.ts'
import { custom } from './custom.ts'
import { gemini, geminiHeadless } from './gemini.ts'
import type { AgentKind, Launch } from './kind/kind.ts'
import type { Protocol } from './kind/conversation.ts'
import { opencode, opencodeHeadless } from './opencode.ts'
import { qwen, qwenHeadless } from './qwen.ts'

interface Ways {
  /** Without a conversation: it gets its prompt and nothing else. */
  readonly headless: AgentKind
  /** In a conversation. */
  readonly talking?: AgentKind
  /** Why it runs headless unless the configuration says otherwise. */
  readonly because?: string
}

/** The known CLIs and the ways in which they run, each seen with the real program (`npm run test:agents`). */
const ways: readonly Ways[] = [
  { headless: claudeHeadless, talking: claude },
  { headless: codexHeadless, talking: codex },
  {
    headless: geminiHeadless,
    talking: gemini,
    because: 'over ACP it loses the conversation, or parts of it, when it is resumed, so each attempt begins a new one',
  },
  { headless: qwenHeadless, talking: qwen },
  {
    headless: opencodeHeadless,
    talking: opencode,
    because: 'over ACP it reports the tokens of the last request of a turn only, so a budget in tokens would not hold',
  },
  { headless: copilotHeadless, talking: copilot },
]

const byDefault = ({ headless, talking, because }: Ways): AgentKind =>
  because === undefined && talking !== undefined
    ? talking
    : { ...headless, ...(because === undefined ? {} : { because }) }

/** The known CLIs; the first installed one is the default. */
export const knownClis: readonly AgentKind[] = ways.map(byDefault)

/** The known CLIs as they run without a conversation. */
export const headlessClis: readonly AgentKind[] = ways.map(({ headless }) => headless)

/** The protocol that a known CLI speaks; undefined for none. */
export const protocolOf = (name: string): Protocol | undefined =>
  ways.find(({ headless }) => headless.name === name)?.talking?.talk?.protocol

/** Every kind of agent: the built-in ones and those of the configuration, which take precedence by name. */
export const agentKinds = (settings: Settings): ReadonlyMap<string, AgentKind> =>
  new Map(
    [command, ...knownClis, ...Object.entries(settings.agents.kinds).map(([name, kind]) => configured(name, kind))].map(
      (kind) => [kind.name, kind],
    ),
  )

/** How an agent of a kind is reached while it works; one of an unknown kind registered itself. */
export const speechOf = (kind: AgentKind | undefined): Speech => {
  if (kind?.talk !== undefined) return kind.talk.steers ? 'inject' : 'restart'
  return kind?.exitDecides === true ? 'none' : 'tools'
}

/** Why no agent of a kind can begin with a copy of a conversation; undefined if it can. */
export const whyNotForked = (kind: AgentKind | undefined): string | undefined =>
  kind?.forks === true ? undefined : (kind?.forks ?? 'Its CLI cannot begin with a copy of a conversation.')

/** A section without a command changes a known CLI. */
const configured = (name: string, settings: CustomKind): AgentKind => {
  const known = ways.find(({ headless }) => headless.name === name)
  if (!known || settings.command.length > 0) return custom(name, settings)
  const { protocol } = settings
  const spoken =
    protocol === undefined
      ? byDefault(known)
      : protocol === 'headless'
        ? known.headless
        : (known.talking ?? known.headless)
  return { ...spoken, files: settings.files, launch: (brief) => withVariables(spoken.launch(brief), settings.env) }
}

const withVariables = (launch: Launch, env: Readonly<Record<string, string>>): Launch => ({
  ...launch,
  environment: { ...env, ...launch.environment },
})

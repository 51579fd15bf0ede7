import { acpTalk, type Differences, openingOf } from './acp/conversation.ts'
import { acpDetails, acpReader } from './acp/lines.ts'
import { allowsAll, grantsOf } from './kind/grants.ts'
import { fields, type Fields, number } from './kind/json-line.ts'
import type { AgentKind, Brief, Launch } from './kind/kind.ts'
import { mcpPromptFor } from './kind/prompts.ts'
import { jsonFile, NO_GUESSING, onlyOurs, serverConfig } from './kind/server-config.ts'
import { messageDetails, messageReader } from './reading/message-stream.ts'
import type { Reading } from './reading/reading.ts'

/** Qwen Code without a conversation. Without a terminal it cannot ask: it denies every tool that is not allowed. */
export const qwenHeadless: AgentKind = {
  name: 'qwen',
  exitDecides: false,
  passes: ['QWEN_*', 'DASHSCOPE_*', 'BAILIAN_*', 'OPENAI_*', 'ANTHROPIC_*', 'GEMINI_*', 'GOOGLE_*'],
  program: {
    binary: 'qwen',
    package: '@qwen-code/qwen-code',
    verified: ['0.15.10', '0.24.4'],
    login: { files: ['.qwen/oauth_creds.json'], variables: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY'] },
  },
  state: {
    folders: ['.qwen'],
    settings: ['settings.json', 'QWEN.md', 'commands', 'extensions', '.env'].map((name) => `.qwen/${name}`),
  },
  hosts: ['chat.qwen.ai', 'portal.qwen.ai', 'dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com'],
  resumes: true,
  unasked: 'It cannot ask: a list of tools decides what it may do.',
  launch: (brief) => {
    const config = `${brief.scratch}.mcp.json`
    const settings = `${brief.scratch}.settings.json`
    return {
      argv: [
        ...['qwen', '-o', 'stream-json', '--mcp-config', config, ...onlyOurs(brief)],
        ...permissions(brief),
        ...(brief.model === null ? [] : ['-m', brief.model]),
        ...(brief.resume === null ? [] : ['--resume', brief.resume]),
        ...brief.args,
      ],
      stdin: mcpPromptFor(brief),
      files: [
        jsonFile(config, serverConfig(brief, { trust: true })),
        settingsFile(settings, grantsOf(brief).everything ? [] : outside(brief.folder).map((path) => `Edit(${path})`)),
      ],
      // The lowest of its settings files: the person's own settings are merged over it.
      environment: { QWEN_CODE_SYSTEM_DEFAULTS_PATH: settings },
    }
  },
  details: messageDetails,
  terminal: (session) => ['qwen', '--resume', session],
  read: messageReader({
    usage: (result) => [usage(result)],
    // Its input tokens include cache reads.
    turn: (usage) => number(usage.input_tokens) + number(usage.output_tokens),
    // It reports an error of its service as a success whose answer is the error.
    isError: (_, said) => said.startsWith('[API Error: '),
    isDenial: (said) =>
      /requires permission to use|permission was declined|denied by (?:policy|permission)/i.test(said),
  }),
}

export const qwenAcp: Differences = {
  modes: ['default'],
  rejectEnds: true,
  drains: 'craft/drainMidTurnQueue',
  patience: 1000,
}

/** Qwen Code in a conversation: it asks in its mode `default`; in the mode in which it starts, a model decides. */
export const qwen: AgentKind = {
  ...qwenHeadless,
  talk: acpTalk(qwenAcp),
  read: acpReader(qwenAcp),
  details: acpDetails(false),
  unasked: 'It does not ask before it reads files.',
  launch: (brief) => {
    const config = `${brief.scratch}.mcp.json`
    const settings = `${brief.scratch}.settings.json`
    return {
      argv: [
        ...['qwen', '--acp', '--mcp-config', config, ...onlyOurs(brief)],
        ...(brief.model === null ? [] : ['-m', brief.model]),
        ...brief.args,
      ],
      stdin: mcpPromptFor(brief),
      opening: openingOf(qwenAcp, brief, {
        mcpServers: [],
        modes: allowsAll(brief) ? ['yolo'] : qwenAcp.modes,
        strict: true,
      }),
      files: [
        jsonFile(config, serverConfig(brief, { trust: true })),
        settingsFile(settings, brief.readOnly ? ['Edit'] : []),
      ],
      environment: {
        QWEN_CODE_SYSTEM_DEFAULTS_PATH: settings,
        // Otherwise it takes the first prompt before our server is there, and refuses our tools.
        QWEN_CODE_LEGACY_MCP_BLOCKING: '1',
      },
    }
  },
}

const settingsFile = (path: string, deny: readonly string[]): Launch['files'][number] =>
  jsonFile(path, {
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: { enableAutoUpdate: false, disableAutoUpdate: true },
    context: { fileFiltering: NO_GUESSING },
    ...(deny.length === 0 ? {} : { permissions: { deny } }),
  })

/**
 * Patterns of every path outside of a folder. Its edits are not confined to the working folder, and only a denial
 * cannot be overridden; but its patterns cannot express "outside".
 */
const outside = (folder: string): readonly string[] => {
  const parts = folder.split('/').filter(Boolean).map(literally)
  return parts.flatMap((part, depth) => {
    const beside = `/${['', ...parts.slice(0, depth), `!(${part})`].join('/')}`
    return [beside, `${beside}/**`]
  })
}

const literally = (part: string): string => part.replace(/[\\*?[\]{}()!+@|]/g, '\\$&')

const permissions = (brief: Brief): readonly string[] => {
  const { everything, edit, shell, tools } = grantsOf(brief)
  if (everything) return ['--approval-mode', 'yolo']
  const allowed = [...shell.map((words) => `run_shell_command(${words})`), ...tools]
  return ['--approval-mode', edit ? 'auto-edit' : 'default', ...allowed.flatMap((tool) => ['--allowed-tools', tool])]
}

/** The usage of the whole session, including earlier runs. */
const usage = (result: Fields): Reading => {
  const { input_tokens, output_tokens, cache_read_input_tokens } = fields(result.usage)
  return {
    kind: 'usage',
    of: 'session',
    tokensIn: number(input_tokens),
    tokensOut: number(output_tokens),
    tokensCached: number(cache_read_input_tokens),
    costUsd: null,
  }
}

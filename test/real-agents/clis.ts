import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

import stripJsonComments from 'strip-json-comments'

/** The place where the CLIs are installed: outside any checkout, each in a prefix of its own. */
export const cache = process.env['AISWARM_AGENTS_CACHE'] ?? join(homedir(), '.cache', 'aiswarm-agent-clis')

/** The settings that one real CLI needs to use the scripted model at `url` instead of its service, with a home of its own. */
export interface Cli {
  readonly name: string
  readonly package: string
  /** How its own program is left, and the files of its home without which it asks questions before a conversation. */
  readonly terminal: {
    readonly trusts: (before: (file: string) => string, folder: string) => Readonly<Record<string, string>>
    readonly quit: string
  }
  /** The protocol that the configuration names; without it the default of its kind. */
  readonly protocol?: string
  /** The model that the task requests. */
  readonly model: string
  readonly environment: (url: string) => Readonly<Record<string, string>>
  /** The files of its home: its identity and the address of its service. */
  readonly home: (url: string) => Readonly<Record<string, string>>
}

const quiet = { CI: '1', NO_COLOR: '1', DO_NOT_TRACK: '1', TERM: 'dumb', LANG: 'C.UTF-8' }

export const clis: readonly Cli[] = [
  {
    name: 'claude',
    package: '@anthropic-ai/claude-code',
    model: 'claude-sonnet-4-5',
    environment: (url) => ({
      ...quiet,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'sk-dummy',
      CLAUDE_CODE_MAX_RETRIES: '1',
    }),
    home: () => ({}),
    terminal: {
      trusts: (before, folder) => ({
        '.claude.json': merged(before('.claude.json'), {
          hasCompletedOnboarding: true,
          customApiKeyResponses: { approved: ['sk-dummy'], rejected: [] },
          projects: { [folder]: { hasTrustDialogAccepted: true } },
        }),
      }),
      quit: '/exit',
    },
  },
  {
    name: 'codex',
    package: '@openai/codex',
    model: 'gpt-5-codex',
    environment: () => ({ ...quiet, SCRIPTED_KEY: 'dummy' }),
    home: (url) => ({
      '.codex/config.toml': `model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`,
    }),
    terminal: {
      trusts: (before, folder) => ({
        '.codex/config.toml': `${before('.codex/config.toml')}[projects.${JSON.stringify(folder)}]\ntrust_level = "trusted"\n`,
      }),
      quit: '/quit',
    },
  },
  {
    name: 'gemini',
    package: '@google/gemini-cli',
    model: 'gemini-2.5-flash',
    environment: (url) => ({
      ...quiet,
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: 'dummy',
      GEMINI_TELEMETRY_ENABLED: 'false',
    }),
    home: () => ({
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      }),
    }),
    terminal: {
      trusts: (_, folder) => ({ '.gemini/trustedFolders.json': JSON.stringify({ [folder]: 'TRUST_FOLDER' }) }),
      quit: '/quit',
    },
  },
  {
    name: 'qwen',
    package: '@qwen-code/qwen-code',
    model: 'scripted',
    environment: (url) => ({
      ...quiet,
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: 'dummy',
      OPENAI_MODEL: 'scripted',
    }),
    home: () => ({
      '.qwen/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
        memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false, enableAutoSkill: false },
      }),
    }),
    terminal: { trusts: () => ({}), quit: '/quit' },
  },
  {
    name: 'opencode',
    package: 'opencode-ai',
    model: 'scripted/scripted',
    environment: () => ({ ...quiet, OPENCODE_DISABLE_LSP_DOWNLOAD: '1', OPENCODE_DISABLE_DEFAULT_PLUGINS: '1' }),
    home: (url) => ({
      '.config/opencode/opencode.json': JSON.stringify({
        $schema: 'https://opencode.ai/config.json',
        autoupdate: false,
        share: 'disabled',
        model: 'scripted/scripted',
        small_model: 'scripted/scripted',
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            name: 'scripted',
            options: { baseURL: `${url}/v1`, apiKey: 'dummy' },
            models: {
              scripted: { name: 'scripted', limit: { context: 200_000, output: 8000 }, cost: { input: 1, output: 2 } },
            },
          },
        },
      }),
    }),
    terminal: { trusts: () => ({}), quit: '/exit' },
  },
  {
    name: 'copilot',
    package: '@github/copilot',
    model: 'scripted',
    environment: (url) => ({
      ...quiet,
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: 'dummy',
      COPILOT_MODEL: 'scripted',
    }),
    home: () => ({}),
    terminal: {
      trusts: (before, folder) => ({
        '.copilot/config.json': merged(before('.copilot/config.json'), { trusted_folders: [folder] }),
      }),
      quit: '/exit',
    },
  },
]

const merged = (before: string, values: object): string =>
  JSON.stringify({ ...(JSON.parse(stripJsonComments(before || '{}')) as object), ...values })

/** The tested versions, by the name of the CLI; the process that installs them passes them on. */
const versions = JSON.parse(process.env['AISWARM_AGENT_VERSIONS'] ?? '{}') as Record<string, string>

export const versionOf = ({ name }: Cli): string => versions[name] ?? 'unknown'

export const binFolder = (cli: Cli): string => join(cache, `${cli.name}-${versionOf(cli)}`, 'node_modules', '.bin')

/**
 * Installs the newest version of a CLI, once; `name@version` in the arguments requests another. Throws a sentence if
 * it cannot.
 */
export const install = (cli: Cli, wanted: string | undefined): void => {
  const version = wanted ?? newestOf(cli)
  versions[cli.name] = version
  process.env['AISWARM_AGENT_VERSIONS'] = JSON.stringify(versions)
  const prefix = join(cache, `${cli.name}-${version}`)
  if (!existsSync(join(binFolder(cli), cli.name))) {
    mkdirSync(prefix, { recursive: true })
    writeFileSync(join(prefix, 'package.json'), '{"private": true}\n')
    console.log(`installing ${cli.package}@${version} …`)
    npm(cli, ['install', '--no-audit', '--no-fund', '--loglevel=error', `${cli.package}@${version}`], prefix)
  }
  const { status, stderr } = spawnSync(join(binFolder(cli), cli.name), ['--version'], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  if (status !== 0)
    throw new Error(
      `${cli.package}@${version} is installed in ${prefix} but does not start: ${stderr.trim().slice(0, 300) || `exit code ${status}`}`,
    )
}

const newestOf = (cli: Cli): string => npm(cli, ['view', cli.package, 'version'], cache).trim()

const npm = (cli: Cli, args: readonly string[], cwd: string): string => {
  mkdirSync(cwd, { recursive: true })
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8', timeout: 600_000 })
  if (status === 0) return stdout
  throw new Error(
    `${cli.package} cannot be installed: npm ${args[0]!} failed: ${stderr.trim().split('\n')[0] || 'no answer'}`,
  )
}

/** The files of a home in which the person has configured a server `own` for the CLI. */
export const withOwnServer = (
  cli: Cli,
  files: Readonly<Record<string, string>>,
  command: string,
  args: readonly string[],
): Readonly<Record<string, string>> => {
  const [path, key] = ownServerAt[cli.name]!
  const before = files[path] ?? ''
  if (path.endsWith('.toml'))
    return {
      ...files,
      [path]: `${before}[mcp_servers.own]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`,
    }
  const entry =
    key === 'mcp'
      ? { type: 'local', command: [command, ...args], enabled: true }
      : { type: cli.name === 'copilot' ? 'local' : 'stdio', command, args, tools: ['*'] }
  return { ...files, [path]: JSON.stringify({ ...(JSON.parse(before || '{}') as object), [key]: { own: entry } }) }
}

const ownServerAt: Readonly<Record<string, readonly [path: string, key: string]>> = {
  claude: ['.claude.json', 'mcpServers'],
  codex: ['.codex/config.toml', ''],
  gemini: ['.gemini/settings.json', 'mcpServers'],
  qwen: ['.qwen/settings.json', 'mcpServers'],
  opencode: ['.config/opencode/opencode.json', 'mcp'],
  copilot: ['.copilot/mcp-config.json', 'mcpServers'],
}

export const writeHome = (home: string, files: Readonly<Record<string, string>>): void => {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), content)
  }
}

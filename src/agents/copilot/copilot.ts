import { copilotDetails } from './details.ts'
import { readCopilot, readCopilotUsage } from './lines.ts'
import { acpDetails } from '../acp/details.ts'
import { copilotAcp } from '../acp/differences.ts'
import { acpReader } from '../acp/lines.ts'
import { acpTalk, openingOf } from '../acp/talk.ts'
import { allowsAll, grantsOf } from '../kind/grants.ts'
import { type AgentKind, type Brief } from '../kind/kind.ts'
import { mcpPromptFor } from '../prompts/mcp-prompt.ts'
import { copilotServers, otherServers, unwanted } from '../kind/other-servers.ts'
import { jsonFile, serverConfig } from '../kind/server-config.ts'

const usageFile = (scratch: string): string => `${scratch}.usage.json`

/** GitHub Copilot CLI without a conversation. Without a terminal it cannot ask: it denies everything that no `--allow-tool` names. */
export const copilotHeadless: AgentKind = {
  name: 'copilot',
  exitDecides: false,
  passes: ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN', 'GH_HOST'],
  program: {
    binary: 'copilot',
    package: '@github/copilot',
    verified: ['1.0.102'],
    login: { files: ['.copilot/config.json'], variables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'] },
  },
  state: {
    folders: ['.copilot', '.cache/copilot', '.local/state/copilot'],
    settings: ['mcp-config.json', 'agents', 'skills', 'copilot-instructions.md'].map((name) => `.copilot/${name}`),
    variables: ['COPILOT_HOME'],
  },
  hosts: ['api.github.com', 'github.com', 'api.githubcopilot.com', '*.githubcopilot.com'],
  resumes: true,
  unasked: 'It cannot ask: a list of tools decides what it may do.',
  ownServers: copilotServers,
  launch: (brief) => {
    const config = `${brief.scratch}.mcp.json`
    return {
      argv: [
        ...['copilot', '--output-format', 'json', '--usage-output-file', usageFile(brief.scratch)],
        ...[
          '--no-ask-user',
          '--no-auto-update',
          '--disable-builtin-mcps',
          '--disable-client-telemetry',
          '--additional-mcp-config',
          `@${config}`,
        ],
        ...unwanted(brief).flatMap((name) => ['--disable-mcp-server', name]),
        ...permissions(brief),
        ...(brief.model === null ? [] : ['--model', brief.model]),
        ...(brief.resume === null ? [] : [`--resume=${brief.resume}`]),
        ...brief.args,
      ],
      stdin: mcpPromptFor(brief),
      files: [jsonFile(config, servers(brief))],
      // A person's settings for their own sessions must not allow more here than aiswarm's configuration.
      environment: { COPILOT_AUTO_UPDATE: 'false', COPILOT_ALLOW_ALL: 'false' },
    }
  },
  read: readCopilot,
  details: copilotDetails,
  terminal: (session) => ['copilot', `--resume=${session}`],
  afterwards: { path: usageFile, read: readCopilotUsage },
}

const { afterwards: _, ...withoutUsageFile } = copilotHeadless

/** GitHub Copilot CLI in a conversation: it asks for everything but the tools of our server. */
export const copilot: AgentKind = {
  ...withoutUsageFile,
  talk: acpTalk(copilotAcp),
  read: acpReader(copilotAcp),
  details: acpDetails(false),
  unasked: 'It does not ask before it reads files.',
  launch: (brief) => {
    const config = `${brief.scratch}.mcp.json`
    return {
      argv: [
        ...['copilot', '--acp', '--no-auto-update', '--disable-builtin-mcps', '--disable-client-telemetry'],
        // It accepts no server over stdio from its client, and does not say so.
        ...['--additional-mcp-config', `@${config}`],
        ...unwanted(brief).flatMap((name) => ['--disable-mcp-server', name]),
        ...(allowsAll(brief) ? ['--allow-all-tools', '--allow-all-paths'] : [`--allow-tool=${brief.server.name}`]),
        ...(brief.readOnly ? ['--deny-tool=write'] : []),
        ...(brief.model === null ? [] : ['--model', brief.model]),
        ...brief.args,
      ],
      stdin: mcpPromptFor(brief),
      opening: openingOf(copilotAcp, brief, { mcpServers: [], modes: [], strict: false }),
      files: [jsonFile(config, servers(brief))],
      environment: { COPILOT_AUTO_UPDATE: 'false', COPILOT_ALLOW_ALL: 'false' },
    }
  },
}

const servers = (brief: Brief): unknown => {
  const { given } = otherServers(brief)
  const typed = Object.entries(given).map(([name, server]) => [
    name,
    { type: 'url' in server ? 'http' : 'local', tools: ['*'], ...server },
  ])
  return {
    mcpServers: {
      ...(Object.fromEntries(typed) as object),
      ...serverConfig({ ...brief, servers: { own: {}, keepsOwn: true, given: {} } }, { type: 'local', tools: ['*'] })
        .mcpServers,
    },
  }
}

const permissions = (brief: Brief): readonly string[] => {
  const { everything, edit, shell, tools } = grantsOf(brief)
  if (everything) return ['--allow-all-tools', '--allow-all-paths']
  return [
    brief.server.name,
    ...(edit ? ['write'] : []),
    ...shell.filter(fits).map((words) => `shell(${words}:*)`),
    ...tools,
  ].map((tool) => `--allow-tool=${tool}`)
}

/** It identifies commands by a program and one more word; fewer words would allow more than the rule says. */
const fits = (words: string): boolean => words.split(' ').length <= 2

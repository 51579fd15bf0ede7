import { spawnSync } from 'node:child_process'
import { cases } from './cases.ts'
import { type Cli, clis, install, versionOf } from './clis.ts'

// `npm run test:agents [-- cli… case…]`: real agent CLIs through the real launcher on a real board, with a model that
// follows a script. Installs the newest version of each once (`claude@2.1.197` requests another, `gemini+headless` another
// way of speaking with it); the runs themselves reach only the loopback, if the system allows that.

const names = process.argv.slice(2)
const asked = new Map<string, string | undefined>(
  names.map((name) => [name.split(/[@+]/)[0]!, /@([^+]+)/.exec(name)?.[1]]),
)
const spoken = new Map(names.map((name) => [name.split(/[@+]/)[0]!, /\+([^@]+)/.exec(name)?.[1]]))
const chosen = {
  clis: clis
    .filter(({ name }) => !clis.some((cli) => asked.has(cli.name)) || asked.has(name))
    .map((cli) => withProtocol(cli, spoken.get(cli.name))),
  cases: Object.keys(cases).filter((name) => !names.some((one) => Object.hasOwn(cases, one)) || names.includes(name)),
}

if (process.env['AISWARM_OFFLINE'] === undefined) {
  const missing = chosen.clis.map((cli) => [cli, whyNotInstalled(cli)] as const).filter(([, why]) => why !== undefined)
  const here = chosen.clis.filter((cli) => !missing.some(([one]) => one === cli))
  const status = here.length === 0 ? 0 : runOffline(here)
  // A CLI that was not tried is a failure: nothing is known about it.
  for (const [{ name }, why] of missing)
    console.log(`${name.padEnd(9)} ✗ ${why!} Mend that, or name the CLIs to try: npm run test:agents -- claude codex`)
  process.exit(missing.length > 0 ? 1 : status)
}

/** A CLI that is spoken to asks as well. */
function withProtocol(cli: Cli, protocol: string | undefined): Cli {
  const talks = protocol === undefined ? cli.talks === true : protocol !== 'headless'
  const asks = protocol === undefined || protocol === 'headless' ? cli.asks === true : true
  return { ...cli, talks, asks, ...(protocol === undefined ? {} : { protocol }) }
}

function whyNotInstalled(cli: Cli): string | undefined {
  try {
    install(cli, asked.get(cli.name))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const results = new Map<string, string>()
let failed = 0
for (const cli of chosen.clis) {
  for (const name of chosen.cases) {
    if (cases[name]!.asks === true && cli.asks !== true) continue
    if (cases[name]!.talks === true && cli.talks !== true) continue
    if (cases[name]!.opens === true && cli.terminal === undefined) continue
    const begun = Date.now()
    try {
      results.set(`${cli.name} ${name}`, `✓ ${await cases[name]!.play(cli)}`)
    } catch (error) {
      failed += 1
      results.set(`${cli.name} ${name}`, `✗ ${error instanceof Error ? error.message : String(error)}`)
    }
    console.log(
      `${cli.name.padEnd(9)} ${name.padEnd(11)} ${String(Math.round((Date.now() - begun) / 1000)).padStart(4)} s  ${results.get(`${cli.name} ${name}`)}`,
    )
  }
}
console.log('')
for (const cli of chosen.clis) {
  const tried = chosen.cases.map((name) => results.get(`${cli.name} ${name}`)).filter((result) => result !== undefined)
  console.log(
    `${cli.name.padEnd(9)} ${versionOf(cli).padEnd(10)} ${tried.filter((result) => result.startsWith('✓')).length} of ${tried.length} cases passed`,
  )
}
process.exit(failed > 0 ? 1 : 0)

/** The same again, in a network namespace of its own if the system allows one. */
function runOffline(here: readonly Cli[]): number {
  const self = [
    process.execPath,
    process.argv[1]!,
    ...here.map(({ name, protocol }) => (protocol === undefined ? name : `${name}+${protocol}`)),
    ...chosen.cases,
  ]
  // The shell stays the first process, which adopts orphans: a test terminal must descend from a process that stays.
  const isolated = [
    'unshare',
    '--net',
    '--pid',
    '--fork',
    '--mount-proc',
    '--kill-child',
    'sh',
    '-c',
    'ip link set lo up && { "$@"; exit $?; }',
    'offline',
  ]
  const may =
    process.platform === 'linux' &&
    spawnSync(isolated[0]!, [...isolated.slice(1), 'true'], { stdio: 'ignore' }).status === 0
  if (!may)
    console.log(
      'This system lets us make no network of its own: nothing but good manners keeps the CLIs from the real one.',
    )
  const [command, ...args] = may ? [...isolated, ...self] : self
  return spawnSync(command!, args, { stdio: 'inherit', env: { ...process.env, AISWARM_OFFLINE: '1' } }).status ?? 1
}

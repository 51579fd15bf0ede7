import { spawnSync } from 'node:child_process'
import { cases } from './cases.ts'
import { clis, install } from './clis.ts'

// `npm run test:agents [-- cli… case…]`: real agent CLIs through the real launcher on a real board, with a model that
// follows a script. Installs the CLIs once; the runs themselves reach nothing but the loopback, where the system lets us.

const names = process.argv.slice(2)
const chosen = {
  clis: clis.filter(({ name }) => !names.some(isCli) || names.includes(name)),
  cases: Object.keys(cases).filter((name) => !names.some(isCase) || names.includes(name)),
}

function isCli(name: string): boolean {
  return clis.some((cli) => cli.name === name)
}

function isCase(name: string): boolean {
  return Object.hasOwn(cases, name)
}

if (process.env['AISWARM_OFFLINE'] === undefined) {
  chosen.clis.forEach(install)
  process.exit(runOffline())
}

const results = new Map<string, string>()
let failed = 0
for (const cli of chosen.clis) {
  for (const name of chosen.cases) {
    const begun = Date.now()
    try {
      results.set(`${cli.name} ${name}`, `✓ ${await cases[name]!(cli)}`)
    } catch (error) {
      failed += 1
      results.set(`${cli.name} ${name}`, `✗ ${error instanceof Error ? error.message : String(error)}`)
    }
    console.log(`${cli.name.padEnd(9)} ${name.padEnd(11)} ${String(Math.round((Date.now() - begun) / 1000)).padStart(4)} s  ${results.get(`${cli.name} ${name}`)}`)
  }
}
const columns = [
  chosen.cases.map((name) => name.padEnd(11)).join(' '),
  ...chosen.clis.map(({ name }) => chosen.cases.map((one) => results.get(`${name} ${one}`)![0]!.padEnd(11)).join(' ')),
]
console.log(`\n${['', ...chosen.clis.map(({ name }) => name)].map((name, row) => `${name.padEnd(9)} ${columns[row]}`).join('\n')}`)
process.exit(failed > 0 ? 1 : 0)

/** The same again, in a network of its own where we may make one. */
function runOffline(): number {
  const self = [process.execPath, ...process.argv.slice(1)]
  const isolated = ['unshare', '--net', '--pid', '--fork', '--mount-proc', '--kill-child', 'sh', '-c', 'ip link set lo up && exec "$@"', 'offline']
  const may = process.platform === 'linux' && spawnSync(isolated[0]!, [...isolated.slice(1), 'true'], { stdio: 'ignore' }).status === 0
  if (!may) console.log('This system lets us make no network of its own: nothing but good manners keeps the CLIs from the real one.')
  const [command, ...args] = may ? [...isolated, ...self] : self
  return spawnSync(command!, args, { stdio: 'inherit', env: { ...process.env, AISWARM_OFFLINE: '1' } }).status ?? 1
}

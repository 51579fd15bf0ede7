import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { userInfo } from 'node:os'

// A network of namespaces: one with the servers, and one for each machine, which has its own processes, mounts, host name,
// boot and installation. Everything ends with the process that made it, since the first process of each reads a pipe of it.

const SERVERS = '10.77.0.1'

/** The address of the servers, as machines reach it. */
export const serversAddress = SERVERS

/** Why this system allows no such network; undefined if it does. */
export const whyNoNamespaces = (): string | undefined => {
  if (process.env['FLEET_WITHOUT_NAMESPACES'] === '1') return 'FLEET_WITHOUT_NAMESPACES is set'
  if (userInfo().uid !== 0) return 'only root may join networks'
  const works = (...words: readonly string[]): boolean => spawnSync(words[0]!, words.slice(1)).status === 0
  if (!works('unshare', '-nmpuf', '--mount-proc', 'true')) return 'namespaces are not allowed'
  return works('unshare', '-n', 'sh', '-c', 'ip link add br0 type bridge') ? undefined : 'bridges are not allowed'
}

interface Holder {
  readonly child: ChildProcess
  /** The first process inside, by its number here. */
  readonly pid: number
}

/** Starts the first process of a namespace, which runs a script and then waits for the end of its input. */
const hold = async (flags: readonly string[], script: string): Promise<Holder> => {
  const child = spawn('unshare', [...flags, 'sh', '-ec', `${script}\necho ready\ncat >/dev/null`], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (piece: Buffer) => (said += piece.toString()))
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`unshare ended with ${code}: ${said}`)))
  })
  const inside = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim()
  return { child, pid: flags.some((flag) => flag.includes('f')) ? Number(inside) : child.pid! }
}

const end = async ({ child, pid }: Holder): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  process.kill(pid, 'SIGKILL')
  await ended
}

export interface Network {
  /** Words that run a program where the servers are. */
  readonly inside: readonly string[]
  readonly machine: (name: string, folder: string, hidden: readonly string[]) => Promise<Machine>
  readonly close: () => Promise<void>
}

export interface Machine {
  /** Words that run a program there. */
  readonly words: () => readonly string[]
  /** The number here of the process that a program started with these words runs as. */
  readonly pidOf: (starter: number) => number | undefined
  /** Switches it off: every process ends at once. */
  readonly off: () => Promise<void>
  /** Boots it. */
  readonly on: () => Promise<void>
  readonly link: (up: boolean) => void
  /** How packets to and from it fare, in the words of netem; null for a good network. */
  readonly netem: (words: string | null) => void
}

export const openNetwork = async (): Promise<Network> => {
  const hub = await hold(
    ['-n'],
    `ip link set lo up; ip link add br0 type bridge; ip addr add ${SERVERS}/24 dev br0; ip link set br0 up`,
  )
  const inside = ['nsenter', '-t', String(hub.pid), '-n', '--']
  const run = (words: string): void =>
    void execFileSync(inside[0]!, [...inside.slice(1), 'sh', '-ec', words], { stdio: ['ignore', 'ignore', 'pipe'] })
  const machines: Machine[] = []
  return {
    inside,
    machine: async (name, folder, hidden) => {
      const machine = await makeMachine({ name, folder, hidden, number: machines.length + 2, run })
      machines.push(machine)
      return machine
    },
    close: async () => {
      for (const machine of machines) await machine.off()
      await end(hub)
    },
  }
}

interface Making {
  readonly name: string
  readonly folder: string
  /** Folders of other machines. */
  readonly hidden: readonly string[]
  readonly number: number
  /** Runs a script where the servers are. */
  readonly run: (words: string) => void
}

const makeMachine = async ({ name, folder, hidden, number, run }: Making): Promise<Machine> => {
  const port = `port${number}`
  const [boot, installation] = [join(folder, '.boot'), join(folder, '.machine-id')]
  writeFileSync(installation, `${randomUUID().replaceAll('-', '')}\n`)
  let holder: Holder | undefined
  const words = (): readonly string[] => ['nsenter', '-t', String(holder!.pid), '-m', '-u', '-n', '-p', '--']
  const on = async (): Promise<void> => {
    writeFileSync(boot, `${randomUUID()}\n`)
    holder = await hold(
      ['-nmpuf', '--mount-proc', '--kill-child'],
      [
        `hostname ${name}; ip link set lo up`,
        `mount --bind '${boot}' /proc/sys/kernel/random/boot_id`,
        `mount --bind '${installation}' /etc/machine-id`,
        ...hidden.map((path) => `mount -t tmpfs none '${path}'`),
      ].join('\n'),
    )
    // The kernel removes the network of the boot before when it finds time, and with it this end of its cable.
    run(
      `ip link delete ${port} 2>/dev/null || :; ip link add ${port} type veth peer name eth0 netns ${holder.pid}; ip link set ${port} master br0 up`,
    )
    const [program, ...rest] = words()
    execFileSync(program!, [
      ...rest,
      ...['sh', '-ec', `ip addr add 10.77.0.${number}/24 dev eth0; ip link set eth0 up`],
    ])
  }
  await on()
  return {
    words,
    pidOf: (starter) => {
      try {
        return Number(readFileSync(`/proc/${starter}/task/${starter}/children`, 'utf8').trim()) || undefined
      } catch {
        return undefined
      }
    },
    off: () => end(holder!),
    on,
    link: (up) => run(`ip link set ${port} ${up ? 'up' : 'down'}`),
    netem: (spec) =>
      run(spec === null ? `tc qdisc del dev ${port} root || true` : `tc qdisc replace dev ${port} root netem ${spec}`),
  }
}

import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { HostView } from '../../src/operations/hosts/list.ts'
import { type Cluster, freePort, serverUser, startCluster } from '../support/postgres.ts'
import { fleetMachine, type FleetMachine } from './machine.ts'
import { type Network, openNetwork, serversAddress, whyNoNamespaces } from './namespaces.ts'

// A whole fleet for tests: PostgreSQL, a git server, and machines that reach both over a network of their own, encrypted.
// Where namespaces are not allowed, the machines are groups of processes, which cannot be cut off.

export interface Lab {
  /** Names the form of the machines, for a report. */
  readonly form: string
  readonly folder: string
  readonly cluster: Cluster
  /** The address of the board as machines reach it. */
  readonly url: string
  /** The port of the cluster, also for its socket. */
  readonly port: number
  /** The bare repository on the git server, and its address. */
  readonly remote: {
    readonly folder: string
    readonly url: string
    readonly refuse: (all: boolean) => void
    /** While it is stopped, it takes connections and answers none. */
    readonly stop: (isStopped: boolean) => void
  }
  /** The machines by their names; the first has the main checkout. */
  readonly machines: Readonly<Record<string, FleetMachine>>
  /** The board's hosts, by the names of their machines. */
  readonly hosts: () => Promise<Readonly<Record<string, HostView>>>
  /** The words that run a program where the servers are. */
  readonly inside: readonly string[]
  readonly close: () => Promise<void>
}

interface LabOptions {
  /** The names of machines that are hosts; the first has the main checkout. */
  readonly hosts: readonly string[]
  /** Names of machines with a clone that has not joined. */
  readonly guests?: readonly string[]
  /** Committed before the repository is cloned. */
  readonly files: Readonly<Record<string, string>>
  readonly fsync?: boolean
  /** The size of a disk for the clone and the worktrees of each machine, in the words of tmpfs: `400m`. */
  readonly disk?: string
  /** Only servers, machines and the first clone: no board, and no clone on the others. */
  readonly isBare?: boolean
}

export const openLab = async ({
  hosts,
  guests = [],
  files,
  fsync = false,
  disk,
  isBare = false,
}: LabOptions): Promise<Lab> => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'aiswarm-fleet-')))
  chmodSync(folder, 0o755)
  const without = whyNoNamespaces()
  const network = without === undefined ? await openNetwork() : undefined
  const closing: (() => Promise<void> | void)[] = [
    () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  ]
  const close = async (): Promise<void> => {
    for (const one of closing.splice(0).reverse()) await one()
  }
  try {
    if (network) closing.push(() => network.close())
    const tls = join(folder, 'tls')
    mkdirSync(tls)
    const certificate = network && certify(tls, serversAddress)
    const { cluster, port, url } = await serveBoard(network, certificate, fsync)
    closing.push(() => cluster.remove())
    const git = await serveGit(folder, network, certificate)
    closing.push(git.end)
    const machines: Record<string, FleetMachine> = {}
    const names = [...hosts, ...guests]
    const place = (name: string): string => join(folder, 'machines', name)
    for (const name of names) mkdirSync(place(name), { recursive: true })
    // Before its namespace is made, which has the mounts of that moment.
    if (network && disk !== undefined)
      for (const name of names) closing.push(mountDisk(join(place(name), 'work'), disk))
    for (const name of names) {
      const others = names.filter((other) => other !== name).map(place)
      machines[name] = await fleetMachine(place(name), name, network, others)
      closing.push(() => machines[name]!.off())
    }
    const beginning = { hosts, guests, machines, files, url, git, certificate }
    beginRepository(beginning)
    if (!isBare) await beginBoard(beginning)
    // Groups of processes have the name of one machine.
    if (!network && !isBare)
      for (const name of hosts)
        cluster.sql(`UPDATE board.hosts SET name = '${name}' WHERE root LIKE '${place(name)}/%'`)
    return {
      form: network ? 'network namespaces' : `groups of processes (${without})`,
      ...{ folder, cluster, url, port, machines, close },
      inside: network?.inside ?? [],
      remote: { folder: git.repository, url: git.url, refuse: git.refuse, stop: git.stop },
      hosts: async () => {
        const views = await machines[hosts[0]!]!.run<readonly HostView[]>(['host', 'list'])
        return Object.fromEntries(views.map((view) => [view.name, view]))
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Returns how to remove it. */
const mountDisk = (folder: string, size: string): (() => void) => {
  mkdirSync(folder, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'none', folder])
  return () => void execFileSync('umount', ['--lazy', folder])
}

const serveBoard = async (network: Network | undefined, certificate: Certificate | undefined, fsync: boolean) => {
  const port = network ? 5432 : await freePort()
  const address = network ? serversAddress : '127.0.0.1'
  const settings = { listen_addresses: address, port: String(port), max_connections: '200' }
  const cluster = startCluster({ fsync, inside: network?.inside ?? [], settings })
  if (certificate) {
    const own = { key: join(cluster.folder, 'server.key'), certificate: join(cluster.folder, 'server.crt') }
    copyFileSync(certificate.key, own.key)
    copyFileSync(certificate.certificate, own.certificate)
    const as = serverUser()
    if (as) for (const path of Object.values(own)) chownSync(path, as.uid, as.gid)
    const rules = join(cluster.folder, 'data/pg_hba.conf')
    writeFileSync(
      rules,
      `${readFileSync(rules, 'utf8')}\nhostssl all anna 10.77.0.0/24 scram-sha-256\nhostssl all all 10.77.0.0/24 trust\n`,
    )
    for (const [name, value] of [
      ['ssl_cert_file', own.certificate],
      ['ssl_key_file', own.key],
      ['ssl', 'on'],
    ])
      cluster.sql(`ALTER SYSTEM SET ${name} = '${value}'`)
    cluster.sql('SELECT pg_reload_conf()')
  }
  const how = certificate ? `&sslmode=verify-full&sslrootcert=${certificate.authority}` : ''
  return { cluster, port, url: `postgresql://owner@${address}:${port}/postgres?schema=board${how}` }
}

interface GitServer {
  readonly repository: string
  readonly url: string
  readonly refuse: (all: boolean) => void
  readonly stop: (isStopped: boolean) => void
  readonly end: () => void
}

const serveGit = async (
  folder: string,
  network: Network | undefined,
  certificate: Certificate | undefined,
): Promise<GitServer> => {
  const served = join(folder, 'git')
  mkdirSync(served)
  const address = network ? serversAddress : '127.0.0.1'
  const port = network ? 8443 : await freePort()
  const [program, ...words] = [
    ...(network?.inside ?? []),
    ...[process.execPath, join(import.meta.dirname, 'git-server.ts'), served, address, String(port)],
    ...(certificate ? [certificate.key, certificate.certificate] : []),
  ]
  const child = spawn(program!, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`the git server ended with ${code}`)))
  })
  const refuses = join(served, 'refuses')
  return {
    repository: join(served, 'shop.git'),
    url: `${certificate ? 'https' : 'http'}://${address}:${port}/shop.git`,
    refuse: (all) => (all ? writeFileSync(refuses, '') : rmSync(refuses, { force: true })),
    stop: (isStopped) => void child.kill(isStopped ? 'SIGSTOP' : 'SIGCONT'),
    end: () => void (child.kill('SIGCONT'), child.stdin.end()),
  }
}

interface Beginning extends Pick<Required<LabOptions>, 'hosts' | 'guests' | 'files'> {
  readonly machines: Readonly<Record<string, FleetMachine>>
  readonly url: string
  readonly git: GitServer
  readonly certificate: Certificate | undefined
}

/** The first clone, the bare repository of the git server, and a person of git on every machine. */
const beginRepository = ({ hosts, machines, files, git, certificate }: Beginning): void => {
  const first = machines[hosts[0]!]
  const authority = certificate ? `[http]\n\tsslCAInfo = ${certificate.authority}\n` : ''
  for (const { home, name } of Object.values(machines))
    writeFileSync(join(home, '.gitconfig'), `[user]\n\tname = ${name}\n\temail = ${name}@example.com\n${authority}`)
  mkdirSync(first!.root, { recursive: true })
  first!.sh('git init --quiet -b main')
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(first!.root, path)), { recursive: true })
    writeFileSync(join(first!.root, path), content)
  }
  first!.sh(`git add --all --force; git commit --quiet -m Begin`)
  first!.sh(`git clone --quiet --bare . '${git.repository}'; git -C '${git.repository}' config http.receivepack true`)
}

/** The board that the hosts have joined, and a clone on every other machine. */
const beginBoard = async ({ hosts, guests, machines, url, git }: Beginning): Promise<void> => {
  const [first, ...others] = hosts.map((name) => machines[name]!)
  await first!.run(['fleet', 'init', '--database', url, '--remote', git.url])
  const clone = ({ root, sh }: FleetMachine): void => {
    mkdirSync(root, { recursive: true })
    sh(`git clone --quiet '${git.url}' .`)
  }
  for (const host of others) {
    clone(host)
    const { code } = await first!.run<{ code: string }>(['fleet', 'join-code', '--labels', host.name])
    await host.run(['fleet', 'join'], `${code}\n`)
  }
  const store = join('.aiswarm', 'store.yaml')
  for (const guest of guests.map((name) => machines[name]!)) {
    clone(guest)
    mkdirSync(join(guest.root, '.aiswarm'), { recursive: true, mode: 0o700 })
    if (!existsSync(join(guest.root, store))) copyFileSync(join(first!.root, store), join(guest.root, store))
  }
}

interface Certificate {
  readonly authority: string
  readonly key: string
  readonly certificate: string
}

/** An authority of its own in a folder, and a certificate of it for a server at an address. */
const certify = (folder: string, address: string): Certificate => {
  const openssl = (...args: readonly string[]): void =>
    void execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const fresh = ['-newkey', 'rsa:2048', '-nodes']
  openssl(...['req', '-x509', ...fresh, '-keyout', 'ca.key', '-out', 'ca.crt', '-days', '2', '-subj', '/CN=authority'])
  openssl('req', ...fresh, '-keyout', 'server.key', '-out', 'server.csr', '-subj', `/CN=${address}`)
  writeFileSync(join(folder, 'names'), `subjectAltName=IP:${address}`)
  openssl(
    ...['x509', '-req', '-in', 'server.csr', '-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial'],
    ...['-out', 'server.crt', '-extfile', 'names', '-days', '2'],
  )
  chmodSync(join(folder, 'server.key'), 0o600)
  return {
    authority: join(folder, 'ca.crt'),
    key: join(folder, 'server.key'),
    certificate: join(folder, 'server.crt'),
  }
}

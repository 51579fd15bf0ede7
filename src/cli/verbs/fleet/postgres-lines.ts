import { networkInterfaces, userInfo } from 'node:os'

/** Networks inside this machine, of containers and virtual machines, from which no other host comes. */
const INSIDE = /^(?:docker|br-|veth|virbr|vmnet|vboxnet|lxc|lxd|podman|cni|flannel|cali|incus)/

/** The addresses of this machine's networks, as PostgreSQL's rules write them: `10.0.0.0/24`. */
export const networksOf = (interfaces: ReturnType<typeof networkInterfaces>): readonly string[] => [
  ...new Set(
    Object.entries(interfaces)
      .flatMap(([name, addresses]) => (INSIDE.test(name) ? [] : (addresses ?? [])))
      .filter(({ internal, family, cidr }) => !internal && family === 'IPv4' && cidr !== null)
      .map(({ address, netmask, cidr }) => {
        const bits = netmask.split('.').map(Number)
        const base = address.split('.').map((part, n) => Number(part) & bits[n]!)
        return `${base.join('.')}/${cidr!.split('/')[1]}`
      }),
  ),
]

/** The five lines that prepare a server of this machine for the hosts of its networks. */
export const postgresLines = (
  role: string,
  known: readonly string[] = networksOf(networkInterfaces()),
): readonly string[] => {
  const rules = (known.length === 0 ? ['YOUR.NETWORK/24'] : known).map(
    (network) => `'hostssl aiswarm ${role} ${network} scram-sha-256'`,
  )
  return [
    `sudo -u postgres createuser --pwprompt ${role}`,
    `sudo -u postgres createdb --owner ${role} aiswarm`,
    `sudo -u postgres psql -c "ALTER SYSTEM SET listen_addresses = '*'"`,
    `printf '%s\\n' ${rules.join(' ')} | sudo -u postgres sh -c 'cat >> "$(psql -Atc "SHOW hba_file")"'`,
    'sudo systemctl restart postgresql',
  ]
}

/** The role of the server for which lines are printed: that of the address, or a person's; root is a user of the machine only. */
export const roleOf = (database: string | undefined): string => {
  const named = database !== undefined && URL.canParse(database) ? decodeURIComponent(new URL(database).username) : ''
  if (named !== '') return named
  const { uid, username } = userInfo()
  return uid === 0 ? 'anna' : username
}

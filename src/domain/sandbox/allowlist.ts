// Which hosts a program in a sandbox may reach: names as a person lists them.

/** A host as it is listed: `registry.npmjs.org`, `*.example.com`, or with a port, `localhost:4873`. */
export const hostPattern = /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/i

/** Ports of a host that is listed without one: those of HTTP and HTTPS. */
const WEB = [80, 443]

/**
 * The entry that allows a connection, or undefined. `exact` says that it names the port, which a person does for a
 * service of their own network.
 */
export const allowing = (
  { host, port }: { readonly host: string; readonly port: number },
  listed: readonly string[],
): { readonly exact: boolean } | undefined => {
  const asked = host.toLowerCase().replace(/\.$/, '')
  const matches = (name: string): boolean =>
    name.startsWith('*.') ? asked.endsWith(name.slice(1)) && asked.length > name.length - 1 : asked === name
  const found = listed
    .map((entry) => {
      const [, name = '', own] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
      return { name, port: own === undefined ? undefined : Number(own) }
    })
    .filter((one) => matches(one.name))
  if (found.some((one) => one.port === port)) return { exact: true }
  return found.some((one) => one.port === undefined) && WEB.includes(port) ? { exact: false } : undefined
}

/** True for addresses of this machine and of networks around it, such as those with keys of a cloud (169.254.169.254). */
export const isLocalAddress = (address: string): boolean => {
  const four = /^(?:::ffff:)?(\d+)\.(\d+)\.(\d+)\.(\d+)$/i.exec(address)
  if (four) {
    const [a, b] = [Number(four[1]), Number(four[2])]
    return (
      a === 0 ||
      a === 10 ||
      a === 127 ||
      (a === 100 && b >= 64 && b < 128) ||
      (a === 169 && b === 254) ||
      (a === 172 && b >= 16 && b < 32) ||
      (a === 192 && b === 168) ||
      a >= 224
    )
  }
  // Of IPv6 only the global addresses (2000::/3) lie outside; mapped ones in hexadecimal do not begin so.
  return !/^[23][0-9a-f]{3}:/i.test(address)
}

/**
 * The entry that allows a refused `host:port`, or undefined if the list allows it already. An address of this machine or
 * its network needs its port.
 */
export const entryFor = (name: string, listed: readonly string[]): string | undefined => {
  const [, host = '', digits = ''] = /^(.*):(\d+)$/.exec(name) ?? []
  const endpoint = { host, port: Number(digits) }
  const allowed = allowing(endpoint, listed)
  if (allowed?.exact === true) return undefined
  const isLocal = host === 'localhost' || (/^[\d.]+$/.test(host) && isLocalAddress(host))
  // A listed name that was refused nevertheless leads to such an address.
  return allowed !== undefined || isLocal || !WEB.includes(endpoint.port) ? name : host
}

/** The sentence for a refused host, for the agent and the person. */
export const refusedWords = (host: string, port: number): string => {
  const entry = WEB.includes(port) ? host : `${host}:${port}`
  return `aiswarm: the sandbox refuses connections to ${host}:${port}; ${entry} in sandbox.hosts would allow them`
}

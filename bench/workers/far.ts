import { connect, createServer, type AddressInfo } from 'node:net'

// A server that is far away: passes bytes between a port and a socket, each piece after half of the time that a round trip
// takes, in the order in which they came.

const [socket = '', roundTrip = '20'] = process.argv.slice(2)
const half = Number(roundTrip) / 2

const server = createServer({ noDelay: true }, (near) => {
  const far = connect(socket)
  const end = (): void => void (near.destroy(), far.destroy())
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    from.on('error', end).on('close', end)
    from.on('data', (bytes) => void setTimeout(() => to.write(bytes), half))
  }
})
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))

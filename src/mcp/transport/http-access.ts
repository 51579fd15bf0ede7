import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { hashToken } from '../../operations/door/token.ts'

/** Accepts only local programs with the token; a page in a browser has another Origin, a rebound name another Host. */
export const whyNot = (
  { headers, url }: IncomingMessage,
  token: string,
): { status: number; sentence: string } | undefined => {
  if (!isLoopback(headers.host))
    return { status: 403, sentence: 'Only the loopback is served; the Host header names another host.' }
  if (headers.origin !== undefined && !isLoopback(originHost(headers.origin)))
    return { status: 403, sentence: 'Requests from other sites are not served.' }
  if (!/^\/mcp\/?(\?|$)/.test(url ?? '')) return { status: 404, sentence: 'The server is at /mcp.' }
  const given = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  if (!timingSafeEqual(Buffer.from(hashToken(given)), Buffer.from(hashToken(token))))
    return {
      status: 401,
      sentence: `The bearer token is ${given === '' ? 'missing' : 'wrong'}. 'aiswarm mcp --http' prints it when it starts; AISWARM_MCP_TOKEN sets a fixed one.`,
    }
  return undefined
}

const isLoopback = (host: string | undefined): boolean =>
  /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i.test(host ?? '')

const originHost = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined)

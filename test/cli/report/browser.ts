import { spawn } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { Duplex, Readable } from 'node:stream'

/** A page in a real headless browser, over the browser's own protocol. */
export interface Page {
  /** The value of an expression inside the page; the page's own rules against scripts do not apply to it. */
  readonly evaluate: <T>(expression: string) => Promise<T>
  readonly show: (look: { width: number; dark?: boolean; media?: 'print' }) => Promise<void>
  /** A PNG of the whole page. */
  readonly picture: () => Promise<Buffer>
  /** The requests beyond the page itself. */
  readonly requests: readonly string[]
  /** The errors that the browser logged. */
  readonly complaints: readonly string[]
}

export interface Browser {
  readonly open: (url: string) => Promise<Page>
  readonly close: () => void
}

type Answer = {
  readonly id?: number
  readonly method?: string
  readonly params?: never
  readonly sessionId?: string
  readonly result?: never
  readonly error?: { message: string }
}

/**
 * Chromium from the npm package (Linux on x64), otherwise one on PATH, otherwise undefined. It speaks over a pipe: it
 * opens no port and uses no network.
 */
export const openBrowser = async (): Promise<Browser | undefined> => {
  const folder = mkdtempSync(join(tmpdir(), 'aiswarm-browser-'))
  const program = (await packaged(folder)) ?? installed()
  if (!program) {
    rmSync(folder, { recursive: true, force: true })
    return undefined
  }
  const child = spawn(program.path, [...flags, `--user-data-dir=${join(folder, 'profile')}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: folder, ...program.environment },
  })
  const [, , , input, output] = child.stdio as unknown as [null, null, null, Duplex, Readable]
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  const listeners = new Set<(answer: Answer) => void>()
  let rest = ''
  output.setEncoding('utf8').on('data', (piece: string) => {
    const answers = (rest + piece).split('\0')
    rest = answers.pop()!
    for (const answer of answers.map((text) => JSON.parse(text) as Answer)) {
      const asked = waiting.get(answer.id ?? -1)
      if (answer.error) asked?.reject(new Error(answer.error.message))
      else asked?.resolve(answer.result!)
      if (answer.method) for (const listener of listeners) listener(answer)
    }
  })
  child.on('close', () => waiting.forEach(({ reject }) => reject(new Error('The browser has ended.'))))
  input.on('error', () => {})
  let asked = 0
  const ask = <T>(method: string, params: object = {}, sessionId?: string): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const id = ++asked
      waiting.set(id, { resolve, reject })
      input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    })
  return {
    open: (url) => openPage(ask, listeners, url),
    close: () => {
      child.kill('SIGKILL')
      // Output that it was writing at that moment may arrive a moment later.
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

const flags = [
  '--headless=shell',
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--remote-debugging-pipe',
  '--hide-scrollbars',
]

const openPage = async (
  ask: <T>(method: string, params?: object, sessionId?: string) => Promise<T>,
  listeners: Set<(answer: Answer) => void>,
  url: string,
): Promise<Page> => {
  const { targetId } = await ask<{ targetId: string }>('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await ask<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true })
  const say = <T>(method: string, params?: object): Promise<T> => ask<T>(method, params, sessionId)
  const requests: string[] = []
  const complaints: string[] = []
  const loaded = new Promise<void>((resolve) =>
    listeners.add(({ method, params }) => {
      const { request, entry } = (params ?? {}) as { request?: { url: string }; entry?: { text: string } }
      if (method === 'Network.requestWillBeSent' && request && request.url !== url) requests.push(request.url)
      if (method === 'Log.entryAdded' && entry) complaints.push(entry.text)
      if (method === 'Page.loadEventFired') resolve()
    }),
  )
  for (const domain of ['Network', 'Log', 'Page']) await say(`${domain}.enable`)
  await say('Page.navigate', { url })
  await loaded
  const evaluate = async <T>(expression: string): Promise<T> => {
    const { result, exceptionDetails } = await say<{
      result: { value: T }
      exceptionDetails?: { exception?: { description?: string } }
    }>('Runtime.evaluate', {
      expression,
      returnByValue: true,
    })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? 'It failed inside the page.')
    return result.value
  }
  return {
    evaluate,
    requests,
    complaints,
    show: async ({ width, dark = false, media }) => {
      await say('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: false })
      await say('Emulation.setEmulatedMedia', {
        media: media ?? 'screen',
        features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }],
      })
    },
    picture: async () =>
      Buffer.from(
        (await say<{ data: string }>('Page.captureScreenshot', { captureBeyondViewport: true })).data,
        'base64',
      ),
  }
}

interface Program {
  readonly path: string
  readonly environment: Readonly<Record<string, string>>
}

/** Unpacked into the folder with the few libraries that a machine without a browser lacks. */
const packaged = async (folder: string): Promise<Program | undefined> => {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const { default: chromium, inflate } = await import('@sparticuz/chromium')
  const before = process.env['TMPDIR']
  // Without this it would unpack into a place that all runs share, and use a file that another run has only half
  // written.
  process.env['TMPDIR'] = folder
  try {
    const path = await chromium.executablePath()
    const bin = join(dirname(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium'))), 'bin')
    const libraries = await inflate(join(bin, 'al2023.tar.br'))
    // The package's own configuration names the places of its unpacked fonts; without fonts no word has a height.
    const fonts = join(folder, 'fonts')
    writeFileSync(
      join(fonts, 'fonts.conf'),
      `<?xml version="1.0"?>\n<fontconfig><dir>${fonts}</dir><cachedir>${join(folder, 'fonts-cache')}</cachedir></fontconfig>\n`,
    )
    return { path, environment: { LD_LIBRARY_PATH: join(libraries, 'lib'), FONTCONFIG_PATH: fonts } }
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
}

const installed = (): Program | undefined => {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
  const path = (process.env['PATH'] ?? '').split(delimiter).flatMap((place) => names.map((name) => join(place, name)))
  const found = path.find((each) => {
    try {
      accessSync(each, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
  return found === undefined ? undefined : { path: found, environment: {} }
}

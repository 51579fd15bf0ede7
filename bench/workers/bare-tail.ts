import { openSync, readSync, watch } from 'node:fs'
import { enableCompileCache } from 'node:module'

// The reference of agents whose words reach the screen: a bare tail of their outputs, which parses every line, and as
// many lines of Ink for the first of them.

enableCompileCache()
const { createElement, useEffect, useState } = await import('react')
const { Box, render, Text, useInput } = await import('ink')

/** The lines of the screen that change. */
const LINES = 44

const [first, ...others] = process.argv.slice(2)
const buffer = Buffer.alloc(1 << 20)

/** Returns a function that reads the lines of words that are new in a file. */
const tailOf = (path: string): (() => readonly string[]) => {
  const file = openSync(path, 'r')
  let rest = ''
  return () => {
    const length = readSync(file, buffer, 0, buffer.length, null)
    const lines = `${rest}${buffer.toString('utf8', 0, length)}`.split('\n')
    rest = lines.pop()!
    return lines.flatMap((line) => {
      const { message } = JSON.parse(line) as { message?: { content?: readonly { text?: string }[] } }
      return (message?.content ?? []).flatMap(({ text }) => text?.split('\n') ?? [])
    })
  }
}

for (const path of others) watch(path, tailOf(path))
const news = tailOf(first!)

const Tail = () => {
  const [lines, setLines] = useState<readonly string[]>(() => news().slice(-LINES))
  useInput((input) => {
    if (input === 'q') process.exit(0)
  })
  useEffect(() => {
    const watcher = watch(first!, () => {
      const later = news()
      if (later.length > 0) setLines((before) => [...before, ...later].slice(-LINES))
    })
    return () => watcher.close()
  }, [])
  return createElement(
    Box,
    { flexDirection: 'column', height: LINES + 1 },
    createElement(Text, null, 'a bare tail'),
    ...lines.map((line, n) => createElement(Text, { key: n, wrap: 'truncate' }, line)),
  )
}

render(createElement(Tail), { alternateScreen: true, interactive: true })

import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'

// The reference of a frame: Ink draws the lines of a screen as they are, and those of the next one for each key.

enableCompileCache()
const { createElement, useState } = await import('react')
const { Box, render, Text, useInput } = await import('ink')

const screens = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as readonly (readonly string[])[]

const Screen = () => {
  const [keys, setKeys] = useState(0)
  useInput((input) => (input === 'q' ? process.exit(0) : setKeys((before) => before + 1)))
  const lines = screens[keys % screens.length]!
  return createElement(
    Box,
    { flexDirection: 'column' },
    lines.map((line, at) => createElement(Text, { key: at, wrap: 'truncate' }, line === '' ? ' ' : line)),
  )
}

render(createElement(Screen), { alternateScreen: true, interactive: true })

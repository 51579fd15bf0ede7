import { spawn } from 'node:child_process'
import { enableCompileCache } from 'node:module'

// The reference of a message that reaches an agent: a typed line, which enter writes into the pipe to the agent.

enableCompileCache()
const { createElement, useState } = await import('react')
const { render, Text, useInput } = await import('ink')

const [agent, file] = process.argv.slice(2)
const child = spawn(process.execPath, [agent!, file!], { stdio: ['pipe', 'ignore', 'inherit'] })

const Line = () => {
  const [text, setText] = useState('')
  useInput((input, key) => {
    if (input === 'q') process.exit(0)
    if (!key.return) return setText((before) => before + input)
    child.stdin.write(`${JSON.stringify({ type: 'user', uuid: text, message: { content: [{ text }] } })}\n`)
    setText('')
  })
  return createElement(Text, null, `a bare pipe: ${text}`)
}

render(createElement(Line), { alternateScreen: true, interactive: true })

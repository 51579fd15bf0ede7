import Database from 'better-sqlite3'
import { enableCompileCache } from 'node:module'

// The reference of a commit that reaches the screen: a poll of data_version, one count, and one line of Ink.

enableCompileCache()
const { createElement, useEffect, useState } = await import('react')
const { render, Text, useInput } = await import('ink')

/** Milliseconds between two polls, as in the console. */
const BEAT = 100

const db = new Database(process.argv[2], { readonly: true })
const count = db.prepare('SELECT count(*) FROM tasks').pluck()
const version = db.prepare('PRAGMA data_version').pluck()

const Line = () => {
  const [tasks, setTasks] = useState(() => Number(count.get()))
  useInput((input) => {
    if (input === 'q') process.exit(0)
  })
  useEffect(() => {
    let seen = version.get()
    const timer = setInterval(() => {
      const now = version.get()
      if (now === seen) return
      seen = now
      setTasks(Number(count.get()))
    }, BEAT)
    return () => clearInterval(timer)
  }, [])
  return createElement(Text, null, `tasks bare 0/${tasks}`)
}

render(createElement(Line), { alternateScreen: true, interactive: true })

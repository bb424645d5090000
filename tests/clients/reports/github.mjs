// Prints every finding of `--output-format json` with `@actions/core` itself, and compares with `--output-format github`.
//
//   node github.mjs TOOLS REPORT.json REPORT.github

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [tools, json, github] = process.argv.slice(2)
const require = createRequire(`${tools}/package.json`)
const core = await import(pathToFileURL(`${tools}/node_modules/@actions/core/lib/core.js`))
const version = require(`${tools}/node_modules/@actions/core/package.json`).version
const { findings } = JSON.parse(readFileSync(json, 'utf8'))
const ours = readFileSync(github, 'utf8')

/** What `@actions/core` writes to standard output while `act` runs. */
function printed(act) {
  const parts = []
  const write = process.stdout.write
  process.stdout.write = (text) => parts.push(text)
  try {
    act()
  } finally {
    process.stdout.write = write
  }
  return parts.join('')
}

const tell = { error: core.error, warning: core.warning, info: core.notice }
const gravest = ['error', 'warning', 'info']
const worstFirst = gravest.flatMap((severity) => findings.filter((finding) => finding.severity === severity))
const theirs = printed(() => {
  for (const { code, name, severity, message, help, path, start, end, related } of worstFirst) {
    const lines = [message, ...related.map((one) => `${one.path}:${one.start.line}: ${one.message}`), ...(help ? [help] : [])]
    const properties = { title: `${code} ${name}`, file: path, startLine: start.line, endLine: end.line }
    // GitHub refuses columns of a range over several lines.
    if (start.line === end.line) Object.assign(properties, { startColumn: start.column, endColumn: end.column })
    tell[severity](lines.join('\n'), properties)
  }
})
if (worstFirst.length !== findings.length || findings.length < 500) throw new Error(`${findings.length} findings`)
for (const severity of gravest) if (!findings.some((finding) => finding.severity === severity)) throw new Error(`no ${severity}`)
if (ours !== theirs) {
  const [a, b] = [ours.split('\n'), theirs.split('\n')]
  const at = a.findIndex((line, index) => line !== b[index])
  console.log(`line ${at + 1} differs\nours   ${a[at]}\ntheirs ${b[at]}`)
  process.exit(1)
}
console.log(`github: ${findings.length} annotations are those of @actions/core ${version}, byte for byte`)

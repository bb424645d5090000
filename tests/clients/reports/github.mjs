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

/** A text without what acts on a terminal: vramlint shows it instead of passing it on. */
function shown(text) {
  const picture = (c) => (c < ' ' ? String.fromCharCode(0x2400 + c.charCodeAt(0)) : c === '\x7f' ? '\u2421' : '\ufffd')
  return text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff]/g, picture)
}

const tell = { error: core.error, warning: core.warning, info: core.notice }
const gravest = ['error', 'warning', 'info']
const worstFirst = gravest.flatMap((severity) => findings.filter((finding) => finding.severity === severity))
const theirs = printed(() => {
  for (const { code, name, severity, message, help, path, start, end, related } of worstFirst) {
    const lines = [message, ...related.map((one) => `${one.path}:${one.start.line}: ${one.message}`), ...(help ? [help] : [])]
    const properties = { title: `${code} ${name}`, file: shown(path), startLine: start.line, endLine: end.line }
    // GitHub refuses columns of a range over several lines.
    if (start.line === end.line) Object.assign(properties, { startColumn: start.column, endColumn: end.column })
    tell[severity](shown(lines.join('\n')), properties)
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

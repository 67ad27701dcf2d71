// One process that runs the commands of many wranglers, one after the other: see wrangler-host.ts. Each wrangler by itself takes a
// second to load.
import { createServer } from 'node:http'
import { createRequire, registerHooks } from 'node:module'

const { exit } = process

const CLI = new URL('../../node_modules/wrangler/wrangler-dist/cli.js', import.meta.url).href

// What a process does once is done for each command. The program exports neither.
const RUN = `
exports.run = (args) => {
  outputFilePath = undefined
  return main(args)
}`
registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context)
    return url === CLI ? { ...loaded, source: `${loaded.source}${RUN}` } : loaded
  },
})
// Each command adds some, and never takes them away.
process.setMaxListeners(0)
const { run: runCommand } = createRequire(import.meta.url)('wrangler')

/** Runs a command, in its environment. @returns what it printed, and its exit code */
const run = async ({ args, env }) => {
  const printed = []
  const written = { stdout: process.stdout.write, stderr: process.stderr.write }
  for (const name of ['stdout', 'stderr'])
    process[name].write = (text) => {
      printed.push([name, String(text)])
      return true
    }
  process.env = env
  process.argv = [...process.argv.slice(0, 2), ...args]
  process.exitCode = 0
  const exited = new Promise((resolve) => {
    process.exit = (code) => {
      resolve(code ?? process.exitCode)
      // Nothing runs after it.
      throw new Error('process.exit')
    }
  })
  const ended = runCommand(args).then(
    () => process.exitCode,
    () => 1,
  )
  const code = Number(await Promise.race([exited, ended]))
  await ended
  process.exitCode = 0
  process.exit = exit
  for (const [name, write] of Object.entries(written)) process[name].write = write
  return { printed, code }
}

let last = Promise.resolve()
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray())
  last = last.then(async () => response.end(JSON.stringify(await run(JSON.parse(body)))))
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
// It ends with its parent.
process.stdin.resume().once('end', () => exit())

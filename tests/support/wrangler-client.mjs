// Loaded into a test's processes by NODE_OPTIONS: instead of wrangler's program, the process of WRANGLER_HOST runs its command. See
// wrangler-host.ts.
const [, program = '', ...args] = process.argv

if (/[\\/]wrangler[\\/]bin[\\/]wrangler\.js$/.test(program)) {
  const body = JSON.stringify({ args, env: process.env })
  const response = await fetch(process.env.WRANGLER_HOST ?? '', { method: 'POST', body })
  const { printed, code } = await response.json()
  for (const [stream, text] of printed) process[stream].write(text)
  process.exit(code)
}

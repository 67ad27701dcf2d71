import { html } from 'hono/html'

/**
 * The page of the console, which is Scalar, started by islands/console.ts. It has its own style
 * sheet, because the rules of other pages would change Scalar's elements.
 */
export const consolePage = (): string =>
  String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API console · Tributary</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/console.css">
<script type="module" src="/docs/scalar.js"></script>
<script type="module" src="/console.js"></script>
</head>
<body>
<header>
  <a class="brand" href="/docs/"><img src="/icon.svg" alt="" width="24" height="24">Tributary docs</a>
  <a href="/docs/reference">API reference</a>
  <p class="reader" hidden><label for="program">Program</label> <select id="program"></select></p>
</header>
<main id="console">
<p class="loading" role="status">Loading the console…</p>
<noscript><p class="loading">The console needs JavaScript. The <a href="/docs/reference">API reference</a> does not.</p></noscript>
</main>
</body>
</html>
`)

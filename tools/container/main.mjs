// Entry point of the images: runs the app that the image was built for. Arguments (`worker`, `migrate`, …) pass through.
await import(new URL(`../apps/${process.env.GATEPOST_APP}/dist/main.js`, import.meta.url).href);

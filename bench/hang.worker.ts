addEventListener('message', () => {
  for (;;);
})

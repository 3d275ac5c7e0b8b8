"""What fails under trace: values that Python needs, leaked tracers, methods of plain classes."""

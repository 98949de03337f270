# nbgrader's settings for the exercises, which are in Go. tools/exercises.py makes the student versions with them, and copies
# them into the course directory that it sets up.
c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "jsqlab"
# What stands in the place of a solution compiles, and panics when it is called; package check knows this panic.
c.ClearSolutions.code_stub = {"go": 'panic("YOUR CODE HERE")'}
c.Execute.timeout = 120  # seconds for one cell

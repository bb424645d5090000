def title(page):
    if page == "a":
        name = "x"
    elif page == "b":
        name = "x"
    else:
        name = "y"
    return name
